#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "store/job_records.h"
#include "store/restored.h"
#include "store/store.h"

namespace holdfast::store {

/// An event about to be written. Every event of both stores is worded here and nowhere else.
struct NewEvent {
    std::string kind;
    Uuid task;
    Uuid worker;
    std::string who;
    std::string message;
    std::string data;
    Uuid job = {};
    std::string queue = {};  ///< empty: that of the task, if there is one
    bool is_order = false;
};

/// Whether an event is itself an order of a person or an application, or follows from one, or from a rule.
enum class Cause { Order, Rule };

/// Marks the event as an order, and adds what it changed: the values before and after it.
[[nodiscard]] NewEvent as_order(NewEvent event, nlohmann::json before, nlohmann::json after);

[[nodiscard]] NewEvent cancelled_event(const Uuid& task, const std::string& who, const std::string& reason,
                                       Cause cause);
[[nodiscard]] NewEvent cancel_requested_event(const Uuid& task, const Uuid& worker, const std::string& who,
                                              const std::string& reason, Cause cause);
[[nodiscard]] NewEvent forced_event(const Uuid& task, TaskState from, TaskState to, const ForceParams& params);
[[nodiscard]] NewEvent expired_event(const Uuid& task);
[[nodiscard]] NewEvent rejected_event(const Uuid& task, const RejectParams& params);
/// A verdict was applied: kind "requeued", "failed" or "cancelled", by where it left the task.
[[nodiscard]] NewEvent recovered_event(const RecoveredLease& lease, const Uuid& worker, TaskState state,
                                       const RecoverParams& params);
/// A result came from a worker whose lease had ended; it is kept as evidence, bounded, and not applied.
[[nodiscard]] NewEvent late_result_event(const FinishedRun& run, const Uuid& worker);
[[nodiscard]] NewEvent stop_requested_event(const StopRequest& request, const Uuid& worker,
                                            const AskToStopParams& params);
/// The store has got the next rank, because its history may have forked. `place`: where it is found now.
struct Rollover {
    std::int64_t old_rank = 0;
    std::int64_t new_rank = 0;
    std::string old_place = {};
    std::string place = {};
    std::string why = {};  ///< a sentence without its full stop
};
[[nodiscard]] NewEvent rolled_over_event(const Rollover& rollover, const std::string& who);
[[nodiscard]] NewEvent worker_lost_event(const LostWorker& lost);
[[nodiscard]] NewEvent worker_reactivated_event(const Uuid& worker);
/// What an order to a worker changes.
struct WorkerMarks {
    bool cordoned = false;
    bool drains = false;
};
[[nodiscard]] NewEvent worker_ordered_event(const OrderParams& params, const WorkerMarks& before);
[[nodiscard]] NewEvent worker_removed_event(const Uuid& worker, const std::string& name, const std::string& who);
[[nodiscard]] NewEvent queue_paused_event(const std::string& queue, bool paused, const std::string& who);
/// `before`: the limit that was declared; nullopt: none was.
[[nodiscard]] NewEvent key_declared_event(const core::KeyDeclaration& key, std::optional<int> before,
                                          const std::string& who);
/// The key as it was declared.
[[nodiscard]] NewEvent key_removed_event(const core::KeyDeclaration& key, const std::string& who);
[[nodiscard]] NewEvent job_stuck_event(const Uuid& task, const std::string& who, const std::string& why);
/// `before`: nullptr: the schedule is new.
[[nodiscard]] NewEvent schedule_changed_event(const ScheduleDefinition& schedule, const ScheduleDefinition* before,
                                              const std::string& who);
[[nodiscard]] NewEvent schedule_paused_event(const ScheduleDefinition& schedule, bool paused, const std::string& who);
[[nodiscard]] NewEvent schedule_removed_event(const ScheduleDefinition& schedule, const std::string& who);
/// Slots that were missed or skipped.
[[nodiscard]] NewEvent schedule_noted_event(const FireParams& params);
/// A slot whose job was not accepted.
[[nodiscard]] NewEvent schedule_refused_event(const FireParams& params, const SubmitOutcome& outcome);

[[nodiscard]] NewEvent restored_event(const RestartParams& params, const RestartAnswer& answer);

[[nodiscard]] NewEvent token_created_event(const NewToken& token);
[[nodiscard]] NewEvent token_revoked_event(const NewToken& token, const std::string& who);
[[nodiscard]] NewEvent session_started_event(const NewSession& session, const std::string& who);
[[nodiscard]] NewEvent session_ended_event(const Uuid& session, const std::string& token, const std::string& who);
/// An event from outside of the store, made storable.
[[nodiscard]] NewEvent appended_event(const EventRecord& event);

/// Why a job is cancelled whose time is up: its code, and the sentence that it ends with.
struct Overdue {
    std::string_view code = {};
    std::string reason = {};
};
/// `allowed` is how long it was allowed to queue (while PENDING) or run.
[[nodiscard]] Overdue overdue_job(JobState state, Duration allowed);
[[nodiscard]] std::string replaced_reason(const std::string& schedule);

/// The errors that the store itself gives to tasks.
[[nodiscard]] TaskError cancelled_error(const std::string& who, const std::string& reason);
[[nodiscard]] TaskError expired_error();
[[nodiscard]] TaskError forced_error(const ForceParams& params);

}  // namespace holdfast::store
