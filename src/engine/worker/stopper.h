#pragma once

#include <algorithm>
#include <string>

#include "engine/worker/run_book.h"
#include "engine/worker/worker_commands.h"
#include "engine/worker/worker_settings.h"

namespace holdfast::engine {

/// Stops runs that are out of time, cancelled, fenced, lost or drained, and kills runners that hang.
class Stopper {
public:
    Stopper(const WorkerSettings& settings, RunBook& book) : settings_(settings), book_(book) {}

    /// In any stage of the lease. A stronger cause replaces a weaker one; the same cause again changes nothing.
    void stop(Run& run, StopCause cause, Duration now, Commands& commands);
    void stop_all(StopCause cause, Duration now, Commands& commands);
    /// Stops the runs that must end before another worker may get them, counted from the last acknowledged beat.
    void fence(Duration last_acknowledged, Duration now, Commands& commands);
    /// Handles everything that is due: timeouts, ended graces, silent runners, runners that do not boot.
    void tick(Duration now, Commands& commands);

    /// Sets a timer: tick() must be called by then.
    void look_at(Duration when) { look_at_ = std::min(look_at_, when); }
    [[nodiscard]] Duration look_at() const { return look_at_; }
    /// From now on runs are stopped without a grace. `why` is a sentence: "SIGINT was received".
    void hurry(const std::string& why) { hurried_by_ = why; }

private:
    [[nodiscard]] bool is_hurried() const { return !hurried_by_.empty(); }
    [[nodiscard]] Stop made_stop(const Run& run, StopCause cause, Duration kill_at) const;
    void stop_running(Run& run, StopCause cause, Duration now, Commands& commands);
    void tick_run(Run& run, Duration now, Commands& commands);
    void tick_runner(RunnerId id, Runner& runner, Duration now, Commands& commands);
    void kill(RunnerId id, Runner& runner, Commands& commands);

    const WorkerSettings& settings_;
    RunBook& book_;
    Duration look_at_ = Duration::max();
    std::string hurried_by_;  // empty: not hurried
};

}  // namespace holdfast::engine
