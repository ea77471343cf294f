#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/task/settlement.h"
#include "holdfast/task.h"

namespace holdfast::core {

/// What an observer knows about a worker, weakest first. Exited and Rebooted are certain; the others are not.
/// Unregistered: leases name it, and the store has no row for it.
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

/// The longest fence that a worker can declare: what a worker whose row is gone may have declared.
inline constexpr Duration longest_fence = std::chrono::hours(1);

/// A worker, as seen by one observer on its own monotonic clock.
struct WorkerSeen {
    Evidence evidence = Evidence::None;
    Duration evidence_age{};   ///< for how long, without a break, the observer has seen this evidence
    Duration unbroken_view{};  ///< for how long the observer has been looking at the store without a gap (P6)
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
    bool container_stopped = false;  ///< ... and somebody has stopped it since
    /// Against a *live* worker: age of the runner's last beat (RUNNING), or since the beats do not list the
    /// lease any more (CLAIMED and RUNNING); as counted by this observer.
    Duration quiet_for{};
    bool out_of_time = false;  ///< the run has gone on for longer than its timeout, as counted by this observer
};

struct Thresholds {
    Duration worker_stale = std::chrono::seconds(15);
    Duration disconnect_grace = std::chrono::seconds(3);
    Duration claimed_stale = std::chrono::seconds(120);
    Duration running_stale = std::chrono::seconds(300);
    /// Off: leases that never started are kept, whatever the evidence, until somebody requeues them by hand.
    bool auto_requeue_stale_claimed = true;
    /// Off: leases that started are kept, whatever the evidence, until somebody fails them by hand.
    bool auto_fail_stale_running = true;
};

enum class Action {
    Keep,
    Requeue,  ///< it never started: PENDING again, at no cost
    Crash,    ///< its run was cut short by a death: on_crash decides between FAILED and another run
    Fail,     ///< FAILED, whatever on_crash says: its run may still be going on where nobody can stop it (P7)
    TimeOut,  ///< its run is out of time, and nobody hears its worker: FAILED with TASK_TIMEOUT
};

/// How the lease ends by that action, for settle(); nullopt for Keep. Crash and Fail carry WORKER_CRASHED, which no
/// retry policy matches.
[[nodiscard]] std::optional<LeaseEnd> lease_end(Action action);

/// What to do with the lease, and on what numbers.
struct Verdict {
    Action action = Action::Keep;
    std::string reason;       ///< a sentence with the evidence and the numbers, for events and messages
    Duration counted_age{};   ///< how much of the evidence's age (or of the lease's quiet) counts
    Duration required_age{};  ///< what it is measured against
    bool is_final = false;    ///< of TimeOut: its run is not known to be dead, so it is not run again (P7)

    friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// Could somebody else be given this task, or its key, after a verdict? Then its old run must be dead or fenced first
/// (P7). Never of a lease that did not start: it has no run.
[[nodiscard]] bool may_run_elsewhere(const LeaseSeen& lease);

/// Could the run go on after its worker was found dead on this evidence? So for a container that nobody has stopped,
/// and for a task with fence: continue of a worker that is only out of sight. Such a lease ends after running_stale
/// at the earliest, and its task is not run again; one that nobody else can be given anyhow ends as soon as it is out
/// of time.
[[nodiscard]] bool run_may_go_on(const WorkerSeen& worker, const LeaseSeen& lease);

/// How old the evidence must be before it ends this lease. Zero for certain evidence; else stale means strictly
/// older.
[[nodiscard]] Duration required_age(const WorkerSeen& worker, const LeaseSeen& lease, const Thresholds& thresholds);

/// Decides about one lease. What has to be waited for counts only as far as the unbroken view reaches (P6).
[[nodiscard]] Verdict judge(const WorkerSeen& worker, const LeaseSeen& lease, const Thresholds& thresholds);

}  // namespace holdfast::core
