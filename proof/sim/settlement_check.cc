#include <algorithm>

#include "base/text.h"
#include "engine/fence.h"
#include "proof/sim/process.h"
#include "proof/sim/witness.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

namespace {

constexpr Duration crash_is_settled_within = std::chrono::seconds(10);

/// Whether the task may run again after this end of a run. Written a second time, independently of the engine's rule,
/// so that the check does not repeat its mistakes.
bool may_repeat(const TaskPolicy& policy, const core::History& history, const Change::End& end) {
    const std::vector<std::string>& codes = policy.retry.retry_on;
    if (end.is_final && end.end != core::LeaseEnd::NotStarted) return false;
    switch (end.end) {
        case core::LeaseEnd::Failed:
            return end.code != error_code::worker_crashed && history.attempts + 1 < policy.retry.max_attempts &&
                   (codes.empty() || std::ranges::count(codes, end.code) > 0);
        case core::LeaseEnd::Crashed:
            return policy.on_crash == OnCrash::Requeue && history.crashes < policy.max_crashes;
        case core::LeaseEnd::Stopped:
            return policy.on_crash == OnCrash::Requeue;
        case core::LeaseEnd::StoppedCleanly:
        case core::LeaseEnd::NotStarted:
            return true;
        case core::LeaseEnd::Completed:
        case core::LeaseEnd::Cancelled:
            return false;
    }
    return false;
}

/// How a run that ended in this way, after it was asked to stop for this reason, must be settled; nullopt: in any
/// way. Written a second time, like may_repeat().
std::optional<core::LeaseEnd> end_of(const TrueRun& run) {
    using core::LeaseEnd;
    using engine::StopCause;
    const bool by_itself = run.how == "completed" || run.how == "failed";
    const bool saw_stop = run.how == "returned a part" || run.how == "gave up" || run.how == "stopped cleanly";
    if (run.asked_to_stop == StopCause::LeaseLost || (!by_itself && !saw_stop)) return std::nullopt;
    if (by_itself && !run.out_of_time) return run.how == "completed" ? LeaseEnd::Completed : LeaseEnd::Failed;
    if (!run.asked_to_stop) return std::nullopt;
    if (run.asked_to_stop == StopCause::Timeout) return LeaseEnd::Failed;
    if (run.asked_to_stop == StopCause::Cancel) return LeaseEnd::Cancelled;
    const bool was_drained = run.asked_to_stop == StopCause::Drain;
    return was_drained && run.how == "stopped cleanly" ? LeaseEnd::StoppedCleanly : LeaseEnd::Stopped;
}

}  // namespace

void Witness::check_settlement(const LeaseSight& lease, const Change::End& end, const PlaceSight& place) {
    TrueTask* task = world_.ledger.find(lease.lease.task);
    if (task == nullptr) return;
    const std::string name = concat(task->name, "#", lease.lease.lease);
    const std::string how = concat(name, " ended as ", word_of(end.end));
    const auto again = picture_.find(lease.lease.task);  // the turn that ended it may have claimed it again
    if (place.places + (again != picture_.end() ? 1 : 0) != 1)
        return complain("P2", concat(how, ", and its task is in ", place.places, " places"));
    // A worker also ends leases as never started that only a rollover has marked: it knows that nothing of them ran.
    const bool is_certain = end.end == core::LeaseEnd::NotStarted && end.evidence.empty() &&
                            world_.ledger.run_of(lease.lease.lease, lease.worker) == nullptr;
    if (lease.started != (end.end != core::LeaseEnd::NotStarted) && !is_certain)
        complain("P4", concat(how, ", but it was ", lease.started ? "" : "not ", "started"));
    const bool cancelled = lease.stop_requested == "cancel";
    if (end.end == core::LeaseEnd::Stopped) ++task->stops;
    if (end.end == core::LeaseEnd::StoppedCleanly) {
        ++task->clean_stops;
        if (const TrueRun* run = world_.ledger.run_of(lease.lease.lease, lease.worker))
            task->next_checkpoint = run->checkpoint;
    }
    const auto pending = again != picture_.end() ? again->second.history : place.pending;
    if (pending) {
        if (!may_repeat(task->task.policy, lease.history, end)) complain("P4", concat(how, ", and is to run again"));
        if (cancelled) complain("Cancel", concat(how, ", and is to run again although it was cancelled"));
        const bool is_timed_out_unseen = !end.evidence.empty() && end.code == error_code::task_timeout;
        if (is_timed_out_unseen && !engine::is_fenced(task->task))
            complain("P7", concat(how, ", and is to run again, though its worker was not to stop it"));
        const bool costs = pending->attempts + pending->crashes != lease.history.attempts + lease.history.crashes;
        const bool is_counted = end.end == core::LeaseEnd::Failed || end.end == core::LeaseEnd::Crashed;
        if (costs != is_counted)
            complain("P4", concat(how, costs ? ", which cost an attempt" : ", and cost nothing"));
    }
    if (place.ending) {
        const TaskState state = place.ending->state;
        const bool may_be_too_late = task->task.deadline.has_value() && end.end == core::LeaseEnd::Failed;
        if (may_repeat(task->task.policy, lease.history, end) && !cancelled && !may_be_too_late)
            complain(end.end == core::LeaseEnd::NotStarted ? "P4" : "Policy",
                     concat(how, ", and its task was ended as ", to_text(state), " instead of being run again"));
        if ((state == TaskState::Completed) != (end.end == core::LeaseEnd::Completed))
            complain("P5", concat(how, ", and its task is ", to_text(state)));
    }
}

/// The event of a verdict agrees with the place where the verdict left the task.
void Witness::check_event_of_verdict(const LeaseSight& lease, const PlaceSight& place) {
    const bool is_cancelled = place.ending && place.ending->state == TaskState::Cancelled;
    const std::string_view expected = !place.ending ? "requeued" : is_cancelled ? "cancelled" : "failed";
    if (const std::string told = reader_.last_verdict(lease.lease.task); told != expected)
        complain("Consistent rows", concat(world_.ledger.name_of(lease.lease.task), "#", lease.lease.lease, " was ",
                                           expected, ", and its event says \"", told, "\""));
}

void Witness::runner_died(const store::TaskLease& lease) {
    crashes_[lease.lease] = {lease.task, world_.timeline.now()};
}

/// A worker that saw its runner die needs no verdict: it settles the run at once, unless something hinders it.
void Witness::check_crashes() {
    std::erase_if(crashes_, [&](const auto& each) { return !holder_of({each.second.first, each.first}); });
    for (const auto& [lease, crash] : crashes_) {
        const auto worker = world_.workers.find(*holder_of({crash.first, lease}));
        if (worker == world_.workers.end() || !worker->second.is_alive) continue;
        const Process* process = world_.find_living(worker->second.process);
        if (process == nullptr || process->is_stopped()) continue;
        const Duration waited = world_.timeline.now() - std::max(crash.second, process->hindered_until());
        if (waited > crash_is_settled_within)
            complain("P8",
                     concat(world_.ledger.name_of(crash.first), "#", lease, " lost its runner, and ", process->name(),
                            " has not settled it, though nothing hindered it for ", format_duration(waited)));
    }
}

/// The worker reports of a run what really happened.
void Witness::check_outcome(const LeaseSight& lease, const Change::End& end) {
    const std::string name = concat(world_.ledger.name_of(lease.lease.task), "#", lease.lease.lease);
    const TrueRun* run = world_.ledger.run_of(lease.lease.lease, lease.worker);
    if (end.end == core::LeaseEnd::NotStarted) {
        if (run != nullptr) complain("P4", concat(name, " was handed back, but had been run"));
        return;
    }
    if (run != nullptr && !run->ended_at)
        complain("P7", concat(name, " was finished as ", word_of(end.end), ", but goes on"));
    if (end.end == core::LeaseEnd::Completed && (run == nullptr || run->how != "completed"))
        complain("P4", concat(name, " was finished as COMPLETED, but ", run == nullptr ? "was never run" : run->how));
    if (run != nullptr) check_stop(name, *run, end);
    const bool was_silent = run != nullptr && run->ended_at &&
                            *run->ended_at - run->last_sign >= world_.plan.sweep.thresholds.running_stale;
    if (end.end == core::LeaseEnd::Crashed && run != nullptr && !run->how.starts_with("died") && !was_silent)
        complain("P8", concat(name, " was finished as CRASHED, but ", run->how));
}

/// A run that saw its stop is settled by that stop, any other run by its own outcome.
void Witness::check_stop(const std::string& name, const TrueRun& run, const Change::End& end) {
    const auto expected = end_of(run);
    if (expected && end.end != *expected)
        complain("Stopping",
                 concat(name, " was finished as ", word_of(end.end), ", but ", run.how,
                        run.asked_to_stop ? " after it was asked to stop" : "", ": that is ", word_of(*expected)));
    const bool is_own_failure = run.how == "failed" && !run.out_of_time;
    if (is_own_failure && end.end == core::LeaseEnd::Failed && end.code != "NO_LUCK" && end.code != "BAD_DAY")
        complain("Stopping", concat(name, " failed by itself, and was finished with ", end.code));
}

}  // namespace holdfast::sim
