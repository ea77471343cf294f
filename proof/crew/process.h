#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::crew {

/// Where a process prints.
enum class Stream {
    Shared,  ///< where this process prints
    Piped,   ///< to this process, which reads it
    Logged,  ///< appended to the file `log`
};

struct ProcessParams {
    std::vector<std::string> command = {};                     ///< the program's name, and its arguments
    std::string program = {};                                  ///< its path; empty: where $PATH has the name
    std::optional<std::vector<std::string>> environment = {};  ///< "NAME=value"; unset: that of this process
    std::string folder = ".";                                  ///< where it runs
    std::string log = {};                                      ///< created when missing
    Stream output = Stream::Shared;
    Stream errors = Stream::Shared;
    bool has_input = false;                            ///< it reads what write() sends; else nothing
    std::optional<unsigned> most_user_processes = {};  ///< of its user all together; does not bind root
};

/// The path of the program that this process runs, for ProcessParams::program.
inline constexpr const char* own_program = "/proc/self/exe";

/// A program in a process of its own: a child that leads its own session. It is killed when this object is destroyed,
/// and with the thread that started it. The waits throw std::runtime_error after crew::patience.
class Process {
public:
    /// Throws std::runtime_error when it cannot be started.
    explicit Process(const ProcessParams& params);
    Process(Process&& other) noexcept = default;
    Process& operator=(Process&&) = delete;
    ~Process();

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Whether its end has been noted, by wait() or by note_end().
    [[nodiscard]] bool has_ended() const { return exit_code_.has_value(); }

    /// Reaches exactly this process: a later one with the same pid is safe. Does nothing after its end.
    void send(int signal) const;
    /// Waits for its end; returns its exit code, or -signal.
    int wait();
    int kill();
    /// Asks it to leave with this signal and waits for its end; kills it after crew::patience.
    void dismiss(int signal = SIGTERM);
    /// Sends SIGSTOP and returns when it has stopped; false: it has ended instead.
    bool stop() const;
    /// Sends SIGCONT and returns when it continues.
    void go_on() const;
    /// For a process that reaps its children itself: notes that one of them has ended, with this status of waitpid.
    /// Returns whether it was this one.
    bool note_end(pid_t pid, int status);

    /// The next whole line of its piped output; nullopt when it prints no more. Half a line is not a line: its writer
    /// was killed.
    [[nodiscard]] std::optional<std::string> read_line();
    struct Printed {
        std::string output = {};
        std::string errors = {};
    };
    /// Everything else that it prints to pipes, until it and its children have closed them. Waits for any length.
    [[nodiscard]] Printed read_to_end();
    /// At most as much as a pipe holds is sure not to block. Input for a process that has ended is dropped.
    void write(std::string_view text) const;
    void close_input() { input_.close(); }

private:
    [[nodiscard]] bool fetch_output();

    std::string name_;
    Descriptor input_, output_, errors_;
    pid_t pid_ = 0;
    Descriptor handle_;  // a pidfd
    std::optional<int> exit_code_;
    std::string unread_;
};

/// Runs a program to its end and returns its exit code, or -signal.
int run_to_end(const ProcessParams& params);

/// Stops the process, but never while `blocks_others` holds: then it runs on for a moment and is stopped again.
/// Returns false when it has ended instead.
bool freeze(const Process& process, const std::function<bool()>& blocks_others);
/// Whether the process holds a lock of this SQLite database that others need in order to write.
[[nodiscard]] bool blocks_writers(const Process& process, const std::string& database);

/// Reaps every child of this process that has ended, also those that it has inherited, and reports each.
void reap_children(const std::function<void(pid_t, int status)>& report);

/// The environment of this process with `added` ("NAME=value"), but without the variables that its user has set for
/// workers of their own.
[[nodiscard]] std::vector<std::string> crew_environment(const std::vector<std::string>& added);

}  // namespace holdfast::crew
