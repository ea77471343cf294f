#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "runner/messages.h"
#include "runner/outbox.h"
#include "runner/printout.h"
#include "runner/run_socket.h"
#include "runner/tree_use.h"

struct pollfd;

namespace holdfast::runner {

/// The runner's second thread, which user code cannot block. It beats, sends progress and output to the worker, stops
/// the processes of a run that must stop, and ends the runner with all of its processes when the fence's deadline
/// passes or its worker or keeper is gone.
class Pulse {
public:
    /// `printout`: reads the run's output. `folder`: where the container of a run is noted.
    Pulse(Printout printout, std::string folder);
    /// Starts the thread, which lives as long as the process.
    void start();

    // ---- For the runner's main thread
    // --------------------------------------------------------------------------------
    void begin(const Run& run);
    /// To be called when no process of the run is left. Sends its output to the last byte and returns when it is
    /// sent.
    void finish();
    /// The run was asked to stop.
    [[nodiscard]] bool is_stopping() const { return is_stopping_; }
    /// ... and its processes were sent a signal for that.
    [[nodiscard]] bool has_told_processes();
    /// Until finish() these limits hold for the run's processes; then those of set_usual_limits() again. When a limit
    /// is exceeded the run's processes are killed, and the runner too unless `spares_runner`.
    void watch_tree(const TreeLimits& limits, bool spares_runner);
    void set_usual_limits(const TreeLimits& limits) { usual_limits_ = limits; }  ///< before start()
    /// The limit for which the run's processes were killed.
    [[nodiscard]] std::optional<std::string> broken_limit();
    /// From now until finish() a stop kills no process: the run has ended and its remains are being removed.
    void leave_processes_alone();
    /// Opens the socket for updates from the run's processes, until finish(). Throws std::system_error.
    void open_socket(const std::string& path, std::int64_t max_payload);
    /// Masks these secrets in everything that the run prints or reports, until finish().
    void hide(const SecretMask& mask);
    /// The run has printed more than is kept.
    [[nodiscard]] bool has_cut_output();
    /// Adds output from these logs of stdout and stderr that did not arrive through the pipes.
    void complete_output(std::istream& out, std::istream& err);
    [[nodiscard]] std::string last_line_of_stdout();
    [[nodiscard]] std::string last_line_of_stderr();

    // ---- For the run, from any of its threads
    // ------------------------------------------------------------------------
    void update(const RunUpdate& update);
    /// Blocks while too much output is unacknowledged.
    void log(std::string_view line);

private:
    void run();
    [[nodiscard]] std::vector<pollfd> wait_for_something();
    [[nodiscard]] Duration next_due(Duration now) const;
    void handle(const std::vector<pollfd>& ready);
    void receive_control();
    void obey(const Message& message);
    void note_fence(Duration deadline);
    void read_output(Duration now);
    void work_at(Duration now);
    void stop_run(Duration now);
    void check_limits(Duration now);
    void note(const RunUpdate& update);
    void send_news(Timestamp at, bool everything);
    void send(const Message& message);
    void wake_by(Duration when);
    /// Also removes the container, which need not be a child process.
    [[noreturn]] void end_process(int exit_code);

    Descriptor bell_;
    std::string folder_;
    std::atomic<bool> is_stopping_ = false;

    std::mutex mutex_;  // guards everything below
    std::condition_variable room_;
    Printout printout_;
    SecretMask mask_;
    Outbox outbox_;
    FrameReader orders_;
    store::Lease lease_ = 0;
    bool is_fenced_ = false;
    std::optional<Duration> fence_;
    std::optional<Stop> stop_;  // possibly for a run that has not begun yet
    std::optional<Duration> kill_at_;
    bool has_told_processes_ = false;
    std::optional<Progressed> news_;
    std::optional<RunSocket> socket_;
    TreeLimits usual_limits_, limits_;
    bool is_tidying_up_ = false;
    bool spares_runner_ = false;  // kills only the run's processes for a broken limit
    std::optional<std::string> broken_limit_;
    Duration next_check_{};
    Duration sleeping_until_{};
    Duration next_beat_{};
    Duration next_news_{};     // not before
    Duration next_reading_{};  // not before
};

/// Ends this process at once, after every process that it has started.
[[noreturn]] void end_process(int exit_code);

}  // namespace holdfast::runner
