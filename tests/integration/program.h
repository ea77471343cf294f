#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proof/crew/process.h"

namespace holdfast::integration {

/// How to run the built program.
struct RunParams {
    std::vector<std::string> arguments = {};
    std::map<std::string, std::string> environment = {};  ///< all of it, except PATH
    std::string folder = ".";
    std::string input = {};                                            ///< at most a pipe's worth
    bool as_nobody = false;                                            ///< without the rights of root
    std::optional<unsigned long> max_file_size = {};                   ///< as on a full disk
    std::optional<int> max_processes = {};                             ///< of its user, who must not be root
    std::string output_file = {};                                      ///< instead of reading its output
    std::pair<unsigned short, unsigned short> terminal_size = {0, 0};  ///< rows and columns; of TerminalProgram
};

struct Ran {
    int exit_code = -1;  ///< or -signal
    std::string out;
    std::string err;

    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
    /// For output that is JSON lines.
    [[nodiscard]] std::vector<nlohmann::json> json_lines() const;
    [[nodiscard]] std::vector<std::string> lines() const;
};

/// Runs the program to its end.
[[nodiscard]] Ran run_program(const RunParams& params);
/// Runs another program.
[[nodiscard]] Ran run_program(const std::string& path, const RunParams& params);
/// Runs it on a terminal; `err` is in `out`.
[[nodiscard]] Ran run_on_terminal(const RunParams& params);

[[nodiscard]] std::string program_path();

/// The program at work in the background.
class RunningProgram {
public:
    explicit RunningProgram(const RunParams& params);
    RunningProgram(RunningProgram&& other) noexcept = default;
    RunningProgram& operator=(RunningProgram&&) = delete;
    /// Kills it, and waits until the processes that it started have closed their output, too.
    ~RunningProgram();

    /// The next whole line of its output.
    [[nodiscard]] std::string read_line();
    [[nodiscard]] Ran finish();
    void send(int signal) const { process_.send(signal); }

private:
    crew::Process process_;
};

/// The program at work on a terminal, which controls it.
class TerminalProgram {
public:
    explicit TerminalProgram(const RunParams& params);

    /// False: it prints no more.
    bool read_more();
    /// Waits until it has shown this; false when it ends without.
    bool wait_for(const std::string& text);
    void type(const std::string& keys) const;
    /// Waits for its end, and returns its exit code, or -signal.
    int finish();
    [[nodiscard]] const std::string& shown() const { return shown_; }

private:
    Descriptor terminal_;
    crew::Process process_;
    std::string shown_;
};

}  // namespace holdfast::integration
