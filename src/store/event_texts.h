#pragma once

#include <string>

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
};

[[nodiscard]] NewEvent cancelled_event(const Uuid& task, const std::string& who, const std::string& reason);
[[nodiscard]] NewEvent cancel_requested_event(const Uuid& task, const Uuid& worker, const std::string& who,
                                              const std::string& reason);
[[nodiscard]] NewEvent forced_event(const Uuid& task, TaskState from, TaskState to, const ForceParams& params);
[[nodiscard]] NewEvent expired_event(const Uuid& task);
[[nodiscard]] NewEvent rejected_event(const Uuid& task, const RejectParams& params);
/// A verdict was applied: kind "requeued", "failed" or "cancelled", by where it left the task.
[[nodiscard]] NewEvent recovered_event(const RecoveredLease& lease, const Uuid& worker, TaskState state,
                                       const std::string& who);
/// A result came from a worker whose lease had ended; what it said is kept as evidence, bounded, and not applied.
[[nodiscard]] NewEvent late_result_event(const FinishedRun& run, const Uuid& worker);
[[nodiscard]] NewEvent stop_requested_event(const StopRequest& request, const Uuid& worker,
                                            const AskToStopParams& params);
[[nodiscard]] NewEvent worker_lost_event(const LostWorker& lost);
[[nodiscard]] NewEvent worker_reactivated_event(const Uuid& worker);
[[nodiscard]] NewEvent worker_ordered_event(const OrderParams& params);
[[nodiscard]] NewEvent worker_removed_event(const Uuid& worker);
[[nodiscard]] NewEvent queue_paused_event(const std::string& queue, bool paused, const std::string& who);

/// The errors that the store itself gives to tasks.
[[nodiscard]] TaskError cancelled_error(const std::string& who, const std::string& reason);
[[nodiscard]] TaskError expired_error();
[[nodiscard]] TaskError forced_error(const ForceParams& params);

}  // namespace holdfast::store
