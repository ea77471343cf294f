#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/task/settlement.h"
#include "holdfast/task.h"

namespace holdfast::core {

/// The evidence of an observer against a worker, weakest first. Exited and Rebooted are certain; the others are not.
/// Unregistered: leases name the worker, and the store has no row for it.
enum class Evidence { None, Silent, Unregistered, Disconnected, Rebooted, Exited };
constexpr auto words_of(Evidence) {
    using enum Evidence;
    return words<Evidence>({{None, "none"},
                            {Silent, "silent"},
                            {Unregistered, "unregistered"},
                            {Disconnected, "disconnected"},
                            {Rebooted, "rebooted"},
                            {Exited, "exited"}});
}
[[nodiscard]] bool is_certain(Evidence evidence);

/// The longest fence that a worker can declare; assumed for a worker whose row is gone.
inline constexpr Duration longest_fence = std::chrono::hours(1);

/// A worker, as seen by one observer on its own monotonic clock.
struct WorkerSeen {
    Evidence evidence = Evidence::None;
    Duration evidence_age{};   ///< how long the observer has seen this evidence without a break
    Duration unbroken_view{};  ///< how long the observer has seen the store without a gap (P6)
    Duration beat_interval{};  ///< as the worker declared it
    Duration fence_after{};    ///< declared: by when after its last beat it has surely fenced itself (P7)
};

/// A lease of that worker.
struct LeaseSeen {
    bool started = false;
    OnCrash on_crash = OnCrash::Fail;
    bool holds_key = false;
    Fence fence = Fence::Auto;
    bool in_container = false;       ///< its run can outlive the worker's process tree
    bool container_stopped = false;  ///< ... but its container was stopped since
    /// For a *live* worker: the age of the runner's last beat (RUNNING), or the time since the worker's beats stopped
    /// listing the lease (CLAIMED and RUNNING); as counted by this observer.
    Duration quiet_for{};
    bool out_of_time = false;  ///< the run has lasted longer than its timeout, as counted by this observer
};

struct Thresholds {
    Duration worker_stale = std::chrono::seconds(15);
    Duration disconnect_grace = std::chrono::seconds(3);
    Duration claimed_stale = std::chrono::seconds(120);
    Duration running_stale = std::chrono::seconds(300);
    /// Off: leases that never started are kept, whatever the evidence, until an operator requeues them.
    bool auto_requeue_stale_claimed = true;
    /// Off: leases that started are kept, whatever the evidence, until an operator fails them.
    bool auto_fail_stale_running = true;
};

enum class Action {
    Keep,
    Requeue,  ///< it never started: PENDING again, at no cost
    Crash,    ///< its run was cut short by a death: on_crash decides between FAILED and another run
    Fail,     ///< FAILED, whatever on_crash says: its run may still go on where it cannot be stopped (P7)
    TimeOut,  ///< its run is out of time, and its worker is silent: FAILED with TASK_TIMEOUT
};

/// How the lease ends by that action, for settle(); nullopt for Keep. Crash and Fail carry WORKER_CRASHED, which no
/// retry policy matches.
[[nodiscard]] std::optional<LeaseEnd> lease_end(Action action);

/// What to do with the lease, and the numbers behind it.
struct Verdict {
    Action action = Action::Keep;
    std::string reason;       ///< a sentence with the evidence and the numbers, for events and messages
    Duration counted_age{};   ///< the part of the evidence's age (or of the lease's silence) that counts
    Duration required_age{};  ///< the age that it must reach
    bool is_final = false;    ///< of TimeOut: its run is not known to be dead, so it is not run again (P7)

    friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// Whether another worker could get this task, or its key, after a verdict. Then the old run must be dead or fenced
/// first (P7). False for a lease that did not start: it has no run.
[[nodiscard]] bool may_run_elsewhere(const LeaseSeen& lease);

/// Whether the run could go on after its worker was judged dead on this evidence. True for a container that was not
/// stopped, and for a task with fence: continue of a worker that is only out of sight. Such a lease ends after
/// running_stale at the earliest, and its task is not run again. If no other worker can get the task anyhow, the
/// lease ends as soon as it is out of time.
[[nodiscard]] bool run_may_go_on(const WorkerSeen& worker, const LeaseSeen& lease);

/// How old the evidence must be before it ends this lease. Zero for certain evidence; otherwise it must be strictly
/// older.
[[nodiscard]] Duration required_age(const WorkerSeen& worker, const LeaseSeen& lease, const Thresholds& thresholds);

/// Decides about one lease. Ages count only as far as the unbroken view reaches (P6).
[[nodiscard]] Verdict judge(const WorkerSeen& worker, const LeaseSeen& lease, const Thresholds& thresholds);

// ---- Tasks that no worker can run ---------------------------------------------------------------------------------

/// When a claimable task fails because no worker can run it. `recovery.unmatched_steps` is such a rule.
enum class UnmatchedRule {
    Known,  ///< when no worker that the store knows, present or away, can run it
    Fail,   ///< when no active worker with fresh beats can
    Wait,   ///< never
};
constexpr auto words_of(UnmatchedRule) {
    using enum UnmatchedRule;
    return words<UnmatchedRule>({{Known, "known"}, {Fail, "fail"}, {Wait, "wait"}});
}

/// The rule of a task; `steps` is that of steps without one of their own.
[[nodiscard]] UnmatchedRule rule_for(Unmatched says, UnmatchedRule steps);

/// The workers for one route, as seen by one observer in an unbroken view.
struct RouteSeen {
    bool served = false;      ///< by an active worker with fresh beats
    bool known = false;       ///< by a worker of any status, because a worker that restarts comes back
    Duration unserved_for{};  ///< how long the observer has seen it unserved
    Duration unknown_for{};   ///< how long the observer has seen it unknown
};

/// Whether a task with that rule fails now. The caller ensures that the task itself was claimable for `grace`.
[[nodiscard]] bool fails_unmatched(UnmatchedRule rule, const RouteSeen& route, Duration grace);

}  // namespace holdfast::core
