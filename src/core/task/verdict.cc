#include "core/task/verdict.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::core {

namespace {

bool is_out_of_sight(const WorkerSeen& worker) {
    return worker.evidence != Evidence::None && !is_certain(worker.evidence);
}

/// How long the evidence about the worker must last, if every run certainly ended with its worker.
Duration worker_wait(const WorkerSeen& worker, const LeaseSeen& lease, const Thresholds& thresholds) {
    const Duration fence = may_run_elsewhere(lease) ? worker.fence_after : Duration(0);
    switch (worker.evidence) {
        case Evidence::Exited:
        case Evidence::Rebooted:
            return Duration(0);
        case Evidence::Disconnected:
            return std::max(thresholds.disconnect_grace, fence);
        case Evidence::Silent:
        case Evidence::Unregistered:
            return std::max({thresholds.worker_stale, 3 * worker.beat_interval, fence});
        case Evidence::None:
            return lease.started ? thresholds.running_stale : thresholds.claimed_stale;
    }
    HOLDFAST_ASSERT(false);
}

/// Certain evidence counts however short the look was.
bool counts_at_once(const WorkerSeen& worker, Duration required) {
    return is_certain(worker.evidence) && required == Duration(0);
}

Duration counted_age(const WorkerSeen& worker, const LeaseSeen& lease, Duration required) {
    const Duration age = worker.evidence == Evidence::None ? lease.quiet_for : worker.evidence_age;
    return counts_at_once(worker, required) ? age : std::min(age, worker.unbroken_view);
}

bool is_switched_off(const LeaseSeen& lease, const Thresholds& thresholds) {
    return lease.started ? !thresholds.auto_fail_stale_running : !thresholds.auto_requeue_stale_claimed;
}

/// Nothing is left that could stop the run: its worker is out of sight, or is gone while the run is not.
bool times_out(const WorkerSeen& worker, const LeaseSeen& lease) {
    if (!lease.started || !lease.out_of_time || worker.evidence == Evidence::None) return false;
    return is_out_of_sight(worker) || run_may_go_on(worker, lease);
}

Action ending(const WorkerSeen& worker, const LeaseSeen& lease) {
    if (!lease.started) return Action::Requeue;
    if (times_out(worker, lease)) return Action::TimeOut;
    return run_may_go_on(worker, lease) ? Action::Fail : Action::Crash;
}

/// By the end of the wait the worker has stopped the runs that another could get; the others may go on.
bool is_surely_dead(const WorkerSeen& worker, const LeaseSeen& lease) {
    return may_run_elsewhere(lease) && !run_may_go_on(worker, lease);
}

std::string describe_evidence(const WorkerSeen& worker, const LeaseSeen& lease, Duration counted) {
    switch (worker.evidence) {
        case Evidence::Exited:
            return concat("worker exited, seen ", format_duration(counted), " ago");
        case Evidence::Rebooted:
            return concat("worker's host rebooted, seen ", format_duration(counted), " ago");
        case Evidence::Disconnected:
            return concat("worker disconnected for ", format_duration(counted));
        case Evidence::Unregistered:
            return concat("the store has had no row for its worker for ", format_duration(counted));
        case Evidence::Silent:
            return concat("worker silent for ", format_duration(counted));
        case Evidence::None:
            if (counted == Duration(0)) return "worker alive";
            return concat("worker alive, but no sign of its ", lease.started ? "run" : "lease", " for ",
                          format_duration(counted));
    }
    HOLDFAST_ASSERT(false);
}

constexpr auto described_actions = [] {
    using enum Action;
    return words<Action>({{Keep, "kept"},
                          {Requeue, "it had not started: requeued"},
                          {Crash, "its run was cut short"},
                          {Fail, "its run may still go on and could not be stopped: failed, not run again"},
                          {TimeOut, "its run did not end within its timeout"}});
}();

std::string explain(const std::string& evidence, Action action, Duration required) {
    const std::string limit = required == Duration(0) ? "" : concat(" (limit ", format_duration(required), ")");
    return concat(evidence, limit, "; ", text_in(described_actions, action));
}

}  // namespace

bool is_certain(Evidence evidence) {
    return evidence == Evidence::Exited || evidence == Evidence::Rebooted;
}

std::optional<LeaseEnd> lease_end(Action action) {
    switch (action) {
        case Action::Keep:
            return std::nullopt;
        case Action::Requeue:
            return LeaseEnd::NotStarted;
        case Action::Crash:
            return LeaseEnd::Crashed;
        case Action::Fail:
        case Action::TimeOut:
            return LeaseEnd::Failed;
    }
    HOLDFAST_ASSERT(false);
}

bool may_run_elsewhere(const LeaseSeen& lease) {
    return lease.started && (lease.on_crash == OnCrash::Requeue || lease.holds_key);
}

bool run_may_go_on(const WorkerSeen& worker, const LeaseSeen& lease) {
    if (!lease.started) return false;
    if (lease.in_container && !lease.container_stopped) return true;
    // A live worker stops the run when it learns that the lease is lost; with fence: continue an unseen one does not.
    return is_out_of_sight(worker) && lease.fence == Fence::Continue && may_run_elsewhere(lease);
}

Duration required_age(const WorkerSeen& worker, const LeaseSeen& lease, const Thresholds& thresholds) {
    const Duration wait = worker_wait(worker, lease, thresholds);
    const bool ends_now = times_out(worker, lease) && !may_run_elsewhere(lease);
    return run_may_go_on(worker, lease) && !ends_now ? std::max(wait, thresholds.running_stale) : wait;
}

Verdict judge(const WorkerSeen& worker, const LeaseSeen& lease, const Thresholds& thresholds) {
    const Duration required = required_age(worker, lease, thresholds);
    const Duration counted = counted_age(worker, lease, required);
    const std::string evidence = describe_evidence(worker, lease, counted);
    if (is_switched_off(lease, thresholds)) {
        const char* flag = lease.started ? "auto_fail_stale_running" : "auto_requeue_stale_claimed";
        return {Action::Keep, concat(evidence, "; kept, because ", flag, " is off"), counted, required, false};
    }
    const bool is_due = counts_at_once(worker, required) || counted > required;
    const Action action = is_due ? ending(worker, lease) : Action::Keep;
    const bool is_final = action == Action::TimeOut && !is_surely_dead(worker, lease);
    return {action, explain(evidence, action, required), counted, required, is_final};
}

UnmatchedRule rule_for(Unmatched says, UnmatchedRule steps) {
    if (says == Unmatched::Auto) return steps;
    return says == Unmatched::Fail ? UnmatchedRule::Fail : UnmatchedRule::Wait;
}

bool fails_unmatched(UnmatchedRule rule, const RouteSeen& route, Duration grace) {
    switch (rule) {
        case UnmatchedRule::Wait:
            return false;
        case UnmatchedRule::Fail:
            return !route.served && route.unserved_for > grace;
        case UnmatchedRule::Known:
            return !route.served && !route.known && route.unknown_for > grace;
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace holdfast::core
