#include "base/text.h"
#include "client/operations.h"
#include "core/public_words.h"
#include "server/api/ids.h"
#include "server/api/resources.h"
#include "views/task.h"

namespace holdfast::api {

namespace {

store::ListParams list_params(Call& call) {
    store::ListParams params;
    params.filter.states = call.states<TaskState>();
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
    return answer_list(records, is_full ? Json(records.back().task.id.to_string()) : Json());
}

http::Reply show_task(Call& call) {
    const auto record = find_task(call.store(), call.path("id"));
    return answer(views::read_story(call.store(), record, call.config().recovery.worker_stale_threshold));
}

http::Reply wait_for_task(Call& call) {
    const auto record = find_task(call.store(), call.path("id"));
    if (is_terminal(record.state)) return ending_answer("task", record.task.id, std::optional(record));
    return call.services.live.wait_for({Waited::Kind::Task, record.task.id}, call.patience());
}

http::Reply cancel_task(Call& call) {
    const Uuid id = find_task(call.store(), call.path("id")).task.id;
    const auto status =
        call.store().cancel({.tasks = {id}, .who = call.caller.who(), .reason = call.body_text("reason")}).front();
    require_steered(status, "task", id);
    return steered(id, word_of(status));
}

http::Reply retry_task(Call& call) {
    const Uuid id = find_task(call.store(), call.path("id")).task.id;
    const Uuid retry = client::retry_ended(call.store(), id);
    call.note_order("task_retried", concat("retried task ", id.to_string(), " as this one"),
                    {{"task", retry.to_string()}}, retry);
    return answer({{"id", retry.to_string()}, {"retry_of", id.to_string()}}, 201);
}

http::Reply force_task(Call& call) {
    const Uuid id = find_task(call.store(), call.path("id")).task.id;
    const auto statuses = call.store().force({.tasks = {id},
                                              .state = parse_word<TaskState>(call.body_text("state")).value(),
                                              .who = call.caller.who(),
                                              .reason = call.body_text("reason")});
    require_steered(statuses.front(), "task", id);
    return steered(id, "applied");
}

// The state is read before the log: a run stores its output before its end, so an ended task has its whole log.
http::Reply read_task_log(Call& call) {
    const auto record = find_task(call.store(), call.path("id"));
    const auto page = call.store().read_logs(
        {.task = record.task.id, .after_offset = call.number("after", 0), .limit = call.limit()});
    return answer_lines(call, page, &store::LogRecord::offset, is_terminal(record.state));
}

http::Reply stream_task_log(Call& call) {
    const auto record = find_task(call.store(), call.path("id"));
    const std::int64_t after = call.number("after", last_event_id(call.request).value_or(0));
    return http::EventStream{.headers = {}, .source = call.services.live.log_of(record.task.id, after, call.caller)};
}

}  // namespace holdfast::api
