#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "client/task_operations.h"
#include "server/api/ids.h"
#include "server/api/resources.h"
#include "views/task.h"

namespace holdfast::api {

namespace {

/// Returns the task that the order is about. Throws FORBIDDEN unless the caller may use its queue.
store::TaskRecord steered_task(Call& call) {
    store::TaskRecord record = find_task(call.store(), call.path("id"));
    call.caller.require_queue(record.task.queue);
    return record;
}

Json steered(const Uuid& id, std::string_view status) {
    return {{"id", id.to_string()}, {"status", status}};
}

[[noreturn]] void refuse_ended(const store::TaskRecord& record) {
    throw Problem("CONFLICT", concat("task ", record.task.id.to_string(),
                                     " had ended before; nothing was changed. A retry would be a new task"));
}

[[noreturn]] void refuse_gone(const store::TaskRecord& record) {
    throw Problem("NOT_FOUND", concat("task ", record.task.id.to_string(), " is not there any more"));
}

std::vector<TaskState> states_asked_for(const Call& call) {
    std::vector<TaskState> states;
    if (call.is_given("state"))
        for (const Value& word : call.query.at("state"))
            states.push_back(*parse_task_state(word.get_ref<const std::string&>()));
    return states;
}

store::ListParams list_params(Call& call) {
    store::ListParams params;
    params.filter.states = states_asked_for(call);
    params.filter.name = call.text("name");
    params.filter.queue = call.text("queue");
    params.filter.id_prefix = call.text("id");
    if (!params.filter.id_prefix.empty() && !may_begin_an_id(params.filter.id_prefix))
        throw Problem("BAD_PARAMETER", "?id must be the beginning of an id: digits 0-9, a-f and dashes");
    if (call.is_given("worker"))
        params.filter.worker = find_worker(call.store(), call.text("worker")).registration.id;
    if (call.is_given("after")) params.after = Uuid::parse(call.text("after"));
    params.limit = call.limit();
    return params;
}

}  // namespace

http::Reply list_tasks(Call& call) {
    const store::ListParams params = list_params(call);
    const auto records = call.store().list(params);
    const bool is_full = records.size() == params.limit;
    return answer(list_of(views::array_of(records), is_full ? Json(records.back().task.id.to_string()) : Json()));
}

http::Reply show_task(Call& call) {
    const auto record = find_task(call.store(), call.path("id"));
    return answer(
        views::to_json_shape(views::read_story(call.store(), record, call.config().recovery.worker_stale_threshold)));
}

http::Reply wait_for_task(Call& call) {
    const auto record = find_task(call.store(), call.path("id"));
    if (is_terminal(record.state)) return ending_answer(record.task.id, std::optional(record));
    return call.services.live.wait_for({Waited::Kind::Task, record.task.id}, call.patience());
}

http::Reply cancel_task(Call& call) {
    const auto record = steered_task(call);
    const auto status =
        call.store()
            .cancel({.tasks = {record.task.id}, .who = call.caller.who(), .reason = call.body_text("reason")})
            .front();
    switch (status) {
        case CancelStatus::Cancelled:
            return answer(steered(record.task.id, "cancelled"));
        case CancelStatus::Requested:
            return answer(steered(record.task.id, "requested"));
        case CancelStatus::Already:
            return answer(steered(record.task.id, "already"));
        case CancelStatus::Finished:
            refuse_ended(record);
        case CancelStatus::NotFound:
            refuse_gone(record);
    }
    HOLDFAST_ASSERT(false);
}

http::Reply retry_task(Call& call) {
    const auto record = steered_task(call);
    const Uuid retry = client::retry_ended(call.store(), record.task.id);
    call.audit(concat("retried task ", record.task.id.to_string(), " as this one"), retry);
    return answer({{"id", retry.to_string()}, {"retry_of", record.task.id.to_string()}}, 201);
}

http::Reply force_task(Call& call) {
    const auto record = steered_task(call);
    const auto state = *parse_task_state(call.body_text("state"));
    const auto status = call.store()
                            .force({.tasks = {record.task.id},
                                    .state = state,
                                    .who = call.caller.who(),
                                    .reason = call.body_text("reason")})
                            .front();
    switch (status) {
        case store::ForceStatus::Applied:
            return answer(steered(record.task.id, "applied"));
        case store::ForceStatus::Finished:
            refuse_ended(record);
        case store::ForceStatus::NotFound:
            refuse_gone(record);
    }
    HOLDFAST_ASSERT(false);
}

// The state is read before the log: a run stores its output before its end, so an ended task has its whole log.
http::Reply read_task_log(Call& call) {
    const auto record = find_task(call.store(), call.path("id"));
    const std::int64_t after = call.number("after", 0);
    const auto page = call.store().read_logs({.task = record.task.id, .after_offset = after, .limit = call.limit()});
    const bool is_last = page.size() < call.limit();
    return answer({{"items", views::array_of(page)},
                   {"next", page.empty() ? after : page.back().offset},
                   {"ended", is_last && is_terminal(record.state)}});
}

http::Reply stream_task_log(Call& call) {
    const auto record = find_task(call.store(), call.path("id"));
    const std::int64_t after = call.number("after", last_event_id(call.request).value_or(0));
    return http::EventStream{.headers = {},
                             .source = call.services.live.log_of(record.task.id, after, call.caller.hash)};
}

}  // namespace holdfast::api
