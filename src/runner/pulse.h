#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "runner/messages.h"
#include "runner/printout.h"
#include "runner/run_socket.h"
#include "runner/task_limits.h"

struct pollfd;

namespace holdfast::runner {

/// The runner's second thread, which user code cannot block. It beats, sends progress and output to the worker, stops
/// the processes of a run that must stop, and ends the runner with all of its processes when the fence's deadline
/// passes or its worker or keeper is gone.
class Pulse {
public:
    /// `printout`: reads the run's output. `folder`: where the container of a run is noted.
    Pulse(Printout printout, std::string folder);
    /// Starts the thread, which lives as long as the process. `limits`: of runs without limits of their own.
    void start(const TreeLimits& limits);

    // ---- For the runner's main thread ----
    void begin(const Run& run);
    /// To be called when no process of the run is left. Sends its output to the last byte and returns when it is
    /// sent.
    void finish();
    /// The run was asked to stop.
    [[nodiscard]] bool is_stopping() const { return is_stopping_; }
    /// ... and its processes were sent a signal for that.
    [[nodiscard]] bool has_told_processes();
    /// Until finish() these limits hold for the run's processes; then those of start() again. When one of these is
    /// exceeded the run's processes are killed, but not the runner.
    void watch_tree(const TreeLimits& limits);
    /// The limit for which the run's processes were killed.
    [[nodiscard]] std::optional<std::string> broken_limit();
    /// From now until finish() a stop kills no process: the run has ended and its remains are being removed.
    void leave_processes_alone();
    /// Opens the RunSocket for updates from the run's processes, until finish(). Throws std::system_error.
    void open_socket(const std::string& path, std::int64_t max_payload, std::optional<uid_t> peer);
    /// Masks these secrets in everything that the run prints or reports, until finish().
    void hide(const SecretMask& mask);
    /// The run has printed more than is kept.
    [[nodiscard]] bool has_cut_output();
    /// Adds output from these logs of stdout and stderr that did not arrive through the pipes.
    void complete_output(std::istream& out, std::istream& err);
    struct LastLines {
        std::string out, err;
    };
    /// The last lines that the run has printed on stdout and on stderr.
    [[nodiscard]] LastLines last_lines();

    // ---- For the run, from any of its threads ----
    void update(const RunUpdate& update);
    /// Blocks while too much output is unacknowledged.
    void log(std::string_view line);

private:
    void run();
    [[nodiscard]] std::vector<pollfd> wait_for_something();
    [[nodiscard]] Duration next_due(Duration now) const;
    /// When the run must have ended; nullopt: no fence holds it.
    [[nodiscard]] std::optional<Duration> end_of_fence() const;
    [[nodiscard]] bool has_limits() const { return run_.lease != 0 && run_.limits.has_any(); }
    [[nodiscard]] bool has_news() const { return run_.news || printout_.waiting() > 0; }
    void handle(const std::vector<pollfd>& ready);
    void receive_control();
    void obey(const Message& message);
    void note_fence(Duration deadline);
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

    /// The run under way.
    struct RunState {
        store::Lease lease = 0;  // 0: none
        bool is_fenced = false;
        std::optional<Duration> kill_at = {};
        bool has_told_processes = false;
        bool is_tidying_up = false;
        TreeLimits limits = {};
        bool spares_runner = false;  // kills only the run's processes for a broken limit
        std::optional<std::string> broken_limit = {};
        std::optional<engine::RunProgress> news = {};
        std::optional<RunSocket> socket = {};
    };

    std::mutex mutex_;  // guards everything below
    std::condition_variable room_;
    Printout printout_;
    Outbox outbox_;
    FrameReader orders_;
    TreeLimits usual_limits_;
    RunState run_;
    std::optional<Duration> fence_;
    std::optional<Stop> stop_;  // possibly for a run that has not begun yet
    Duration next_check_{};
    Duration sleeping_until_{};
    Duration next_beat_{};
    Duration next_news_{};     // not before
    Duration next_reading_{};  // not before
};

/// Ends this process at once, after every process that it has started.
[[noreturn]] void end_process(int exit_code);

}  // namespace holdfast::runner
