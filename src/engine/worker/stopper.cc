#include "engine/worker/stopper.h"

#include "engine/fence.h"
#include "engine/log_lines.h"
#include "engine/worker/outcomes.h"

namespace holdfast::engine {

namespace {

constexpr Duration runner_margin = std::chrono::milliseconds(500);

/// A run whose lease is lost gets no grace: its task may already run elsewhere.
Duration grace_for(StopCause cause, const WorkerSettings& settings, bool hurried) {
    if (hurried || cause == StopCause::LeaseLost) return Duration::zero();
    return settings.stop_grace;
}

}  // namespace

Stop Stopper::made_stop(const Run& run, StopCause cause, Duration kill_at) const {
    return {.cause = cause,
            .kill_at = kill_at,
            .out_of_time = cause == StopCause::Timeout || (run.stop && run.stop->out_of_time),
            .hurried_by = cause == StopCause::Drain ? hurried_by_ : ""};
}

void Stopper::stop(Run& run, StopCause cause, Duration now, Commands& commands) {
    if (run.stop && run.stop->cause >= cause) return;
    switch (run.stage) {
        case RunStage::Held:
            run.stop = made_stop(run, cause, now);
            book_.move(run, RunStage::Returning, now);
            return;
        case RunStage::Starting:
            run.stop = made_stop(run, cause, now);  // applied when the start is answered
            return;
        case RunStage::Waiting:
            run.stop = made_stop(run, cause, now);
            if (cause != StopCause::LeaseLost) run.outcome = outcome_of_stop(run, cause, settings_);
            book_.move(run, RunStage::Ended, now);
            return;
        case RunStage::Running:
            return stop_running(run, cause, now, commands);
        case RunStage::Ended:  // its outcome is reported, and the store decides
            return;
        case RunStage::Returning:
            if (cause == StopCause::LeaseLost) run.stop = made_stop(run, cause, now);
            return;
    }
}

void Stopper::stop_running(Run& run, StopCause cause, Duration now, Commands& commands) {
    const Duration grace = grace_for(cause, settings_, is_hurried());
    // The runner itself kills the run's processes after the grace; a runner that does not is killed.
    const Duration patience = grace == Duration::zero() ? grace : grace + runner_margin;
    const Duration kill_at = run.stop ? std::min(run.stop->kill_at, now + patience) : now + patience;
    run.stop = made_stop(run, cause, kill_at);
    commands.push_back(Say{log_lines::stopping(run, cause)});
    commands.push_back(AskToStop{run.runner, cause, grace});
    look_at(kill_at);
}

void Stopper::stop_all(StopCause cause, Duration now, Commands& commands) {
    for (auto& [lease, run] : book_.runs()) {
        stop(run, cause, now, commands);
        if (is_hurried() && run.stop) {
            run.stop->kill_at = std::min(run.stop->kill_at, now);
            look_at(now);
        }
    }
}

void Stopper::fence(Duration last_acknowledged, Duration now, Commands& commands) {
    const FenceTimes times = fence_times(settings_.registration.fence_after);
    const Duration age = now - last_acknowledged;
    if (age < times.ask) return look_at(last_acknowledged + times.ask);
    for (auto& [lease, run] : book_.runs()) {
        if (run.stage != RunStage::Running || !is_fenced(run.claimed.task)) continue;
        stop(run, StopCause::Fence, now, commands);
        run.stop->kill_at = std::min(run.stop->kill_at, last_acknowledged + times.kill);
        look_at(run.stop->kill_at);
    }
}

void Stopper::tick(Duration now, Commands& commands) {
    if (now < look_at_) return;
    look_at_ = Duration::max();
    for (auto& [lease, run] : book_.runs()) tick_run(run, now, commands);
    if (!settings_.runners_can_die) return;
    for (auto& [id, runner] : book_.runners()) tick_runner(id, runner, now, commands);
}

void Stopper::tick_run(Run& run, Duration now, Commands& commands) {
    if (run.stage == RunStage::Held) {
        if (run.since + settings_.hold_at_most <= now) return book_.move(run, RunStage::Returning, now);
        return look_at(run.since + settings_.hold_at_most);
    }
    if (run.stage != RunStage::Running) return;
    if (!run.stop) {
        if (run.since + run.timeout <= now) return stop(run, StopCause::Timeout, now, commands);
        return look_at(run.since + run.timeout);
    }
    if (run.stop->killed) return;
    if (now < run.stop->kill_at) return look_at(run.stop->kill_at);
    run.stop->killed = true;
    if (!settings_.runners_can_die) {
        if (run.stop->cause != StopCause::Fence) return;
        commands.push_back(Say{log_lines::threads_beyond_the_fence()});
        commands.push_back(Leave{.exit_code = 1, .at_once = true});
        return;
    }
    kill(run.runner, *book_.find_runner(run.runner), commands);
}

void Stopper::tick_runner(RunnerId id, Runner& runner, Duration now, Commands& commands) {
    const bool booting = runner.stage == RunnerStage::Booting;
    const Duration patience = booting ? settings_.runner_boot : settings_.runner_silence;
    if (runner.killed) return;
    if (now - runner.last_sign <= patience) return look_at(runner.last_sign + patience + Duration(1));
    commands.push_back(Say{log_lines::runner_silent(id, runner, now - runner.last_sign)});
    kill(id, runner, commands);
}

void Stopper::kill(RunnerId id, Runner& runner, Commands& commands) {
    if (runner.killed) return;
    runner.killed = true;
    if (runner.stage == RunnerStage::Idle) book_.move_runner(id, RunnerStage::Leaving, runner.since);
    commands.push_back(KillRunner{id});
}

}  // namespace holdfast::engine
