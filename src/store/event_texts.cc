#include "store/event_texts.h"

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "base/text.h"
#include "store/admission.h"

namespace holdfast::store {

namespace {

constexpr std::size_t max_evidence_bytes = 4096;
constexpr std::size_t max_appended_bytes = 64 * 1024;
constexpr std::size_t max_appended_data_bytes = 1 << 20;

NewEvent about_task(std::string_view kind, const Uuid& task, const Uuid& worker, std::string_view who,
                    std::string message, std::string data = {}) {
    return {std::string(kind), task, worker, std::string(who), std::move(message), std::move(data)};
}

NewEvent about_worker(std::string_view kind, const Uuid& worker, std::string_view who, std::string message) {
    return {std::string(kind), {}, worker, std::string(who), std::move(message), ""};
}

/// About neither a task nor a worker.
NewEvent general(std::string_view kind, std::string_view who, std::string message, const nlohmann::json& data) {
    return {std::string(kind), {}, {}, std::string(who), std::move(message), data.dump()};
}

std::string because(const std::string& reason) {
    return reason.empty() ? "" : concat(": ", reason);
}

NewEvent about_schedule(std::string_view kind, const std::string& schedule, const std::string& who,
                        std::string_view what) {
    return general(kind, who, concat("schedule ", schedule, what), {{"schedule", schedule}});
}

std::string named_key(const std::string& key, const std::string& queue) {
    return queue.empty() ? concat("concurrency key ", key, ", shared by all queues,")
                         : concat("concurrency key ", key, " of queue ", queue);
}

std::string_view recovered_kind(TaskState state) {
    if (state == TaskState::Pending) return "requeued";
    return state == TaskState::Cancelled ? "cancelled" : "failed";
}

}  // namespace

NewEvent cancelled_event(const Uuid& task, const std::string& who, const std::string& reason) {
    return about_task("cancelled", task, {}, who, concat("cancelled before it started", because(reason)));
}

NewEvent cancel_requested_event(const Uuid& task, const Uuid& worker, const std::string& who,
                                const std::string& reason) {
    return about_task(
        "cancel_requested", task, worker, who,
        concat("cancel requested; worker ", worker.to_string(), " is to stop the run and confirm", because(reason)));
}

NewEvent forced_event(const Uuid& task, TaskState from, TaskState to, const ForceParams& params) {
    return about_task("forced", task, {}, params.who,
                      concat("forced from ", to_text(from), " to ", to_text(to), because(params.reason)));
}

NewEvent expired_event(const Uuid& task) {
    return about_task("expired", task, {}, "store", expired_error().message);
}

NewEvent rejected_event(const Uuid& task, const RejectParams& params) {
    return about_task("rejected", task, {}, params.who, params.error.message, params.error.data);
}

NewEvent recovered_event(const RecoveredLease& lease, const Uuid& worker, TaskState state, const std::string& who) {
    return about_task(recovered_kind(state), lease.lease.task, worker, who,
                      concat(lease.evidence, "; the task is ", to_text(state)), lease.data);
}

NewEvent late_result_event(const FinishedRun& run, const Uuid& worker) {
    nlohmann::json evidence = {{"lease", run.lease.lease}, {"end", word_of(run.end)}};
    if (run.end == core::LeaseEnd::Completed) {
        evidence["result"] = readable_text(run.result, max_evidence_bytes);
    } else {
        evidence["error"] = {{"code", run.error.code},
                             {"message", readable_text(run.error.message, max_evidence_bytes)}};
    }
    return about_task(
        "late_result_refused", run.lease.task, worker, worker.to_string(),
        concat("refused a result for lease ", run.lease.lease, ", which is not the task's lease any more"),
        evidence.dump());
}

NewEvent stop_requested_event(const StopRequest& request, const Uuid& worker, const AskToStopParams& params) {
    const auto cause = request.reason == StopReason::Cancel ? "cancel" : "timeout";
    return about_task(
        "stop_requested", request.lease.task, worker, params.who,
        concat("asked worker ", worker.to_string(), " to stop the run (", cause, ")", because(params.reason)));
}

NewEvent rolled_over_event(const Rollover& rollover, const std::string& who) {
    const auto& [old_rank, new_rank, old_place, place, why] = rollover;
    return general("rolled_over", who,
                   concat("the store has gone from rank ", old_rank, " to rank ", new_rank, ": ", why,
                          "; what was written shortly before may be lost"),
                   {{"old_rank", old_rank}, {"new_rank", new_rank}, {"old_place", old_place}, {"place", place}});
}

NewEvent worker_lost_event(const LostWorker& lost) {
    return {"worker_lost", {}, lost.worker, lost.who, lost.evidence, lost.data};
}

NewEvent worker_reactivated_event(const Uuid& worker) {
    return about_worker("worker_reactivated", worker, worker.to_string(), "beats again, and is active again");
}

NewEvent worker_ordered_event(const OrderParams& params) {
    switch (params.order) {
        case WorkerOrder::Drain:
            return about_worker("drain_requested", params.worker, params.who, "asked to drain");
        case WorkerOrder::Cordon:
            return about_worker("cordoned", params.worker, params.who, "cordoned: it is given no new work");
        case WorkerOrder::Uncordon:
            return about_worker("uncordoned", params.worker, params.who, "is given work again");
    }
    HOLDFAST_ASSERT(false);
}

NewEvent worker_removed_event(const Uuid& worker) {
    return about_worker("worker_removed", worker, "store", "its row was removed");
}

NewEvent queue_paused_event(const std::string& queue, bool paused, const std::string& who) {
    return general(paused ? "queue_paused" : "queue_resumed", who,
                   concat("queue ", queue, paused ? " paused: nothing of it is claimed" : " resumed"),
                   {{"queue", queue}});
}

NewEvent key_declared_event(const core::KeyDeclaration& key, const std::string& who) {
    return general("key_declared", who, concat(named_key(key.key, key.queue), " declared with the limit ", key.limit),
                   {{"key", key.key}, {"queue", key.queue}, {"limit", key.limit}});
}

NewEvent key_removed_event(const std::string& key, const std::string& queue, const std::string& who) {
    return general("key_removed", who,
                   concat(named_key(key, queue), " is not declared any more; its limit follows the submits"),
                   {{"key", key}, {"queue", queue}});
}

NewEvent job_stuck_event(const Uuid& task, const std::string& who, const std::string& why) {
    return about_task("job_stuck", task, {}, who,
                      concat("the job of this task could not be advanced, repair tries again: ", why));
}

NewEvent schedule_changed_event(const std::string& schedule, bool is_new, const std::string& who) {
    return about_schedule(is_new ? "schedule_created" : "schedule_changed", schedule, who,
                          is_new ? " created" : " changed");
}

NewEvent schedule_paused_event(const std::string& schedule, bool paused, const std::string& who) {
    return about_schedule(paused ? "schedule_paused" : "schedule_resumed", schedule, who,
                          paused ? " paused: it starts no jobs" : " resumed");
}

NewEvent schedule_removed_event(const std::string& schedule, const std::string& who) {
    return about_schedule("schedule_removed", schedule, who, " removed");
}

NewEvent schedule_noted_event(const FireParams& params) {
    return about_schedule("schedule_noted", params.schedule, params.who, concat(": ", params.note));
}

NewEvent schedule_refused_event(const FireParams& params, const SubmitOutcome& outcome) {
    return about_schedule("schedule_refused", params.schedule, params.who,
                          concat(": its job was not accepted: ", outcome.complaint));
}

NewEvent restored_event(const RestartParams& params, const RestartAnswer& answer) {
    return general("restored", params.who,
                   concat("store restored from ", params.file,
                          params.pauses ? concat("; ", answer.queues.size(), " queues and ", answer.schedules.size(),
                                                 " schedules paused")
                                        : std::string("; nothing paused")),
                   {{"file", params.file}, {"rank", answer.rank}, {"paused", params.pauses}});
}

NewEvent token_created_event(const NewToken& token) {
    const auto scope = word_of(token.scope);
    return general("token_created", token.who, concat("token ", token.name, " created, with scope ", scope),
                   {{"token", token.name}, {"scope", scope}, {"queues", token.queues}});
}

NewEvent session_started_event(const NewSession& session, const std::string& who) {
    return general("session_started", who, "logged in at the page", {{"session", session.id.to_string()}});
}

NewEvent session_ended_event(const Uuid& session, const std::string& token, const std::string& who) {
    return general("session_ended", who, concat("session of token ", token, " ended"),
                   {{"session", session.to_string()}, {"token", token}});
}

NewEvent token_revoked_event(const std::string& name, const std::string& who) {
    return general("token_revoked", who, concat("token ", name, " revoked"), {{"token", name}});
}

NewEvent appended_event(const EventRecord& event) {
    const bool keeps_data = event.data.empty() || (event.data.size() <= max_appended_data_bytes &&
                                                   !text_defect(event.data) && nlohmann::json::accept(event.data));
    return {readable_text(event.kind, max_short_text_bytes),
            event.task,
            event.worker,
            readable_text(event.who, max_short_text_bytes),
            readable_text(event.message, max_appended_bytes),
            keeps_data ? event.data
                       : nlohmann::json({{"unreadable", readable_text(event.data, max_appended_bytes)}}).dump(),
            event.job};
}

Overdue overdue_job(JobState state, Duration allowed) {
    if (state == JobState::Pending)
        return {error_code::queue_timeout,
                concat("Timed out in the queue: not started within ", format_duration(allowed))};
    return {error_code::job_timeout, concat("Timed out: not finished within ", format_duration(allowed))};
}

std::string replaced_reason(const std::string& schedule) {
    return concat("Replaced by the next job of schedule ", schedule);
}

TaskError cancelled_error(const std::string& who, const std::string& reason) {
    return {std::string(error_code::task_cancelled),
            concat("Cancelled", who.empty() ? "" : " by ", who, because(reason)), ""};
}

TaskError expired_error() {
    return {std::string(error_code::task_expired), "Task expired: deadline passed before execution started", ""};
}

TaskError forced_error(const ForceParams& params) {
    return {std::string(error_code::forced), concat("Forced by ", params.who, because(params.reason)), ""};
}

}  // namespace holdfast::store
