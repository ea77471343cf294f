#include "store/event_texts.h"

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "base/text.h"
#include "store/admission.h"
#include "store/jobs/definition_cache.h"

namespace holdfast::store {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_evidence_bytes = 4096;
constexpr std::size_t max_value_bytes = 1000;
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

/// The value itself when it is short.
Json shortened(const std::string& json_text) {
    if (json_text.size() > max_value_bytes) return concat(json_text.size(), " bytes");
    Json value = Json::parse(json_text, nullptr, false);
    return value.is_discarded() ? Json() : value;
}

std::string because(const std::string& reason) {
    return reason.empty() ? "" : concat(": ", reason);
}

NewEvent about_schedule(std::string_view kind, const std::string& schedule, const std::string& who,
                        std::string_view what) {
    return general(kind, who, concat("schedule ", schedule, what), {{"schedule", schedule}});
}

/// The timing, and the id of the definition: its text may be long.
Json schedule_values(const ScheduleDefinition& schedule) {
    return {{"timing", shortened(schedule.timing)},
            {"definition", definition_id(schedule.definition).to_string()},
            {"input", shortened(schedule.input)}};
}

/// An order to a schedule. It belongs to a queue if all tasks of the definition do.
NewEvent order_to_schedule(NewEvent event, const ScheduleDefinition& schedule, Json before, Json after) {
    const auto queues = queues_in(schedule.definition);
    if (queues.size() == 1) event.queue = *queues.begin();
    return as_order(std::move(event), std::move(before), std::move(after));
}

NewEvent of_queue(NewEvent event, const std::string& queue) {
    event.queue = queue;
    return event;
}

Json token_values(const NewToken& token) {
    return {{"scope", word_of(token.scope)},
            {"queues", token.queues},
            {"expires_at", token.expires_at ? Json(format_timestamp(*token.expires_at)) : Json()}};
}

Json state_value(TaskState state) {
    return {{"state", to_text(state)}};
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

NewEvent as_order(NewEvent event, Json before, Json after) {
    Json data = event.data.empty() ? Json::object() : Json::parse(event.data, nullptr, false);
    if (!data.is_object()) data = Json::object();
    data["before"] = std::move(before);
    data["after"] = std::move(after);
    event.data = data.dump();
    event.is_order = true;
    return event;
}

NewEvent cancelled_event(const Uuid& task, const std::string& who, const std::string& reason, Cause cause) {
    auto event = about_task("cancelled", task, {}, who, concat("cancelled before it started", because(reason)));
    if (cause == Cause::Rule) return event;
    return as_order(std::move(event), state_value(TaskState::Pending), state_value(TaskState::Cancelled));
}

NewEvent cancel_requested_event(const Uuid& task, const Uuid& worker, const std::string& who,
                                const std::string& reason, Cause cause) {
    auto event = about_task(
        "cancel_requested", task, worker, who,
        concat("cancel requested; worker ", worker.to_string(), " is to stop the run and confirm", because(reason)));
    if (cause == Cause::Rule) return event;
    return as_order(std::move(event), {{"cancel_requested", false}}, {{"cancel_requested", true}});
}

NewEvent forced_event(const Uuid& task, TaskState from, TaskState to, const ForceParams& params) {
    return as_order(about_task("forced", task, {}, params.who,
                               concat("forced from ", to_text(from), " to ", to_text(to), because(params.reason))),
                    state_value(from), state_value(to));
}

NewEvent expired_event(const Uuid& task) {
    return about_task("expired", task, {}, "store", expired_error().message);
}

NewEvent rejected_event(const Uuid& task, const RejectParams& params) {
    return about_task("rejected", task, {}, params.who, params.error.message, params.error.data);
}

NewEvent recovered_event(const RecoveredLease& lease, const Uuid& worker, TaskState state,
                         const RecoverParams& params) {
    auto event = about_task(recovered_kind(state), lease.lease.task, worker, params.who,
                            concat(lease.evidence, "; the task is ", to_text(state)), lease.data);
    if (!params.by_hand) return event;
    const auto from = lease.expect_started ? TaskState::Running : TaskState::Claimed;
    return as_order(std::move(event), state_value(from), state_value(state));
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
    auto event = about_task(
        "stop_requested", request.lease.task, worker, params.who,
        concat("asked worker ", worker.to_string(), " to stop the run (", cause, ")", because(params.reason)));
    if (!params.by_hand) return event;
    return as_order(std::move(event), {{"stop_requested", nullptr}}, {{"stop_requested", cause}});
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

NewEvent worker_ordered_event(const OrderParams& params, const WorkerMarks& before) {
    const auto ordered = [&](std::string_view kind, std::string message, std::string_view mark, bool was, bool is) {
        return as_order(about_worker(kind, params.worker, params.who, std::move(message)), {{mark, was}},
                        {{mark, is}});
    };
    switch (params.order) {
        case WorkerOrder::Drain:
            return ordered("drain_requested", "asked to drain", "drain_requested", before.drains, true);
        case WorkerOrder::Cordon:
            return ordered("cordoned", "cordoned: it is given no new work", "cordoned", before.cordoned, true);
        case WorkerOrder::Uncordon:
            return ordered("uncordoned", "is given work again", "cordoned", before.cordoned, false);
    }
    HOLDFAST_ASSERT(false);
}

NewEvent worker_removed_event(const Uuid& worker, const std::string& name, const std::string& who) {
    return as_order(about_worker("worker_removed", worker, who, concat("worker ", name, " removed: its row is gone")),
                    {{"name", name}}, nullptr);
}

NewEvent queue_paused_event(const std::string& queue, bool paused, const std::string& who) {
    auto event = general(paused ? "queue_paused" : "queue_resumed", who,
                         concat("queue ", queue, paused ? " paused: nothing of it is claimed" : " resumed"),
                         {{"queue", queue}});
    return as_order(of_queue(std::move(event), queue), {{"paused", !paused}}, {{"paused", paused}});
}

NewEvent key_declared_event(const core::KeyDeclaration& key, std::optional<int> before, const std::string& who) {
    auto event =
        general("key_declared", who, concat(named_key(key.key, key.queue), " declared with the limit ", key.limit),
                {{"key", key.key}, {"queue", key.queue}});
    return as_order(of_queue(std::move(event), key.queue), before ? Json{{"limit", *before}} : Json(),
                    {{"limit", key.limit}});
}

NewEvent key_removed_event(const core::KeyDeclaration& key, const std::string& who) {
    auto event =
        general("key_removed", who,
                concat(named_key(key.key, key.queue), " is not declared any more; its limit follows the submits"),
                {{"key", key.key}, {"queue", key.queue}});
    return as_order(of_queue(std::move(event), key.queue), {{"limit", key.limit}}, nullptr);
}

NewEvent job_stuck_event(const Uuid& task, const std::string& who, const std::string& why) {
    return about_task("job_stuck", task, {}, who,
                      concat("the job of this task could not be advanced, repair tries again: ", why));
}

NewEvent schedule_changed_event(const ScheduleDefinition& schedule, const ScheduleDefinition* before,
                                const std::string& who) {
    return order_to_schedule(about_schedule(before ? "schedule_changed" : "schedule_created", schedule.name, who,
                                            before ? " changed" : " created"),
                             schedule, before ? schedule_values(*before) : Json(), schedule_values(schedule));
}

NewEvent schedule_paused_event(const ScheduleDefinition& schedule, bool paused, const std::string& who) {
    return order_to_schedule(about_schedule(paused ? "schedule_paused" : "schedule_resumed", schedule.name, who,
                                            paused ? " paused: it starts no jobs" : " resumed"),
                             schedule, {{"paused", !paused}}, {{"paused", paused}});
}

NewEvent schedule_removed_event(const ScheduleDefinition& schedule, const std::string& who) {
    return order_to_schedule(about_schedule("schedule_removed", schedule.name, who, " removed"), schedule,
                             schedule_values(schedule), nullptr);
}

NewEvent schedule_noted_event(const FireParams& params) {
    return about_schedule("schedule_noted", params.schedule, params.who, concat(": ", params.note));
}

NewEvent schedule_refused_event(const FireParams& params, const SubmitOutcome& outcome) {
    return about_schedule("schedule_refused", params.schedule, params.who,
                          concat(": its job was not accepted: ", outcome.complaint));
}

NewEvent restored_event(const RestartParams& params, const RestartAnswer& answer) {
    auto event = general("restored", params.who,
                         concat("store restored from ", params.file,
                                params.pauses ? concat("; ", answer.queues.size(), " queues and ",
                                                       answer.schedules.size(), " schedules paused")
                                              : std::string("; nothing paused")),
                         {{"file", params.file}});
    return as_order(std::move(event), nullptr, {{"rank", answer.rank}, {"paused", params.pauses}});
}

NewEvent token_created_event(const NewToken& token) {
    auto event =
        general("token_created", token.who,
                concat("token ", token.name, " created, with scope ", word_of(token.scope)), {{"token", token.name}});
    return as_order(std::move(event), nullptr, token_values(token));
}

NewEvent session_started_event(const NewSession& session, const std::string& who) {
    auto event = general("session_started", who, "logged in at the page", {{"session", session.id.to_string()}});
    return as_order(std::move(event), nullptr, {{"from", readable_text(session.from, max_short_text_bytes)}});
}

NewEvent session_ended_event(const Uuid& session, const std::string& token, const std::string& who) {
    auto event = general("session_ended", who, concat("session of token ", token, " ended"),
                         {{"session", session.to_string()}});
    return as_order(std::move(event), {{"token", token}}, nullptr);
}

NewEvent token_revoked_event(const NewToken& token, const std::string& who) {
    auto event = general("token_revoked", who, concat("token ", token.name, " revoked"), {{"token", token.name}});
    return as_order(std::move(event), token_values(token), nullptr);
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
            event.job,
            readable_text(event.queue, max_short_text_bytes),
            event.is_order};
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
