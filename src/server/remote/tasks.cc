#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/public_words.h"
#include "holdfast/errors.h"
#include "server/remote/remote_store.h"
#include "views/task.h"
#include "views/task_options.h"

namespace holdfast::remote {

namespace {

/// Returns the options of a task outside a job. When no worker matches it, such a task waits by default.
SubmitOptions options_of(const store::NewTask& task) {
    SubmitOptions options{.queue = task.queue,
                          .priority = task.priority,
                          .tags = task.tags,
                          .concurrency = task.concurrency,
                          .policy = task.policy};
    if (options.policy.unmatched == Unmatched::Auto) options.policy.unmatched = Unmatched::Wait;
    return options;
}

/// Returns the complete submission, with every option set, so that the server's catalog adds nothing.
Json submission_of(const store::NewTask& task) {
    Json item = views::options_shape(options_of(task));
    item["id"] = task.id.to_string();
    item["name"] = task.name;
    item["args"] = views::embedded(task.args);
    if (!task.spec.empty()) item["spec"] = views::embedded(task.spec);
    if (task.run_at) item["run_at"] = format_timestamp(*task.run_at);
    if (task.deadline) item["deadline"] = format_timestamp(*task.deadline);
    if (!task.idempotency_key.empty()) item["idempotency_key"] = task.idempotency_key;
    if (!task.traceparent.empty()) item["traceparent"] = task.traceparent;
    return item;
}

SubmitOutcome read_outcome(const Json& item) {
    const Json detail = item.value("detail", Json());
    SubmitOutcome outcome{
        .status = parse_word<SubmitStatus>(item.at("status").get<std::string>()).value_or(SubmitStatus::Refused),
        .id = item.at("id").is_null() ? Uuid() : Uuid::parse(item.at("id").get<std::string>()).value_or(Uuid()),
        .complaint = detail.is_null() ? std::string() : detail.get<std::string>()};
    if (const Json limit = item.value("concurrency_limit", Json()); !limit.is_null())
        outcome.concurrency_limit = limit.get<int>();
    return outcome;
}

CancelStatus cancel_status(const std::string& word) {
    if (word == "cancelled") return CancelStatus::Cancelled;
    if (word == "requested") return CancelStatus::Requested;
    if (word == "already") return CancelStatus::Already;
    return word == "finished" ? CancelStatus::Finished : CancelStatus::NotFound;
}

store::ForceStatus force_status(const std::string& word) {
    if (word == "applied") return store::ForceStatus::Applied;
    return word == "finished" ? store::ForceStatus::Finished : store::ForceStatus::NotFound;
}

Query query_of(const store::ListParams& params) {
    Query query;
    std::vector<std::string> states;
    for (const TaskState state : params.filter.states) states.emplace_back(to_text(state));
    if (!states.empty()) query["state"] = join(states, ",");
    if (!params.filter.name.empty()) query["name"] = params.filter.name;
    if (!params.filter.queue.empty()) query["queue"] = params.filter.queue;
    if (!params.filter.id_prefix.empty()) query["id"] = params.filter.id_prefix;
    if (!params.filter.worker.is_nil()) query["worker"] = params.filter.worker.to_string();
    if (params.after) query["after"] = params.after->to_string();
    return query;
}

}  // namespace

std::vector<SubmitOutcome> RemoteStore::submit(const std::vector<store::NewTask>& tasks) {
    std::vector<SubmitOutcome> outcomes;
    Json items = Json::array();
    for (const store::NewTask& task : tasks) {
        if (task.retry_of.is_nil()) {
            items.push_back(submission_of(task));
            continue;
        }
        const Json retried = link_.post(path_of({"tasks", task.retry_of.to_string(), "retry"}));
        outcomes.push_back({.status = SubmitStatus::Accepted,
                            .id = Uuid::parse(retried.at("id").get<std::string>()).value_or(Uuid()),
                            .complaint = {}});
    }
    if (items.empty()) return outcomes;
    const Json answer = link_.post(path_of({"tasks"}), {{"tasks", std::move(items)}});
    for (const Json& item : answer.at("items")) outcomes.push_back(read_outcome(item));
    return outcomes;
}

Json RemoteStore::story_of(const Uuid& task) {
    return link_.find(path_of({"tasks", task.to_string()}));
}

std::vector<std::optional<store::TaskRecord>> RemoteStore::find(const std::vector<Uuid>& ids) {
    std::vector<std::optional<store::TaskRecord>> records;
    for (const Uuid& id : ids) {
        const Json story = story_of(id);
        records.push_back(story.is_null()
                              ? std::nullopt
                              : std::optional(views::from_json_shape<store::TaskRecord>(story.at("task"))));
    }
    return records;
}

std::vector<store::TaskRecord> RemoteStore::list(const store::ListParams& params) {
    std::vector<store::TaskRecord> records;
    for (const Json& item : link_.list(path_of({"tasks"}), query_of(params), params.limit))
        records.push_back(views::from_json_shape<store::TaskRecord>(item));
    return records;
}

store::TaskCounts RemoteStore::count() {
    return views::from_json_shape<store::TaskCounts>(link_.get(path_of({"overview"})).at("tasks"));
}

std::vector<store::AttemptRecord> RemoteStore::attempts(const Uuid& task) {
    const Json story = story_of(task);
    if (story.is_null()) return {};
    return views::from_json_shape<std::vector<store::AttemptRecord>>(story.at("attempts"));
}

std::optional<store::StepOfTask> RemoteStore::step_of_task(const Uuid& task) {
    const Json story = story_of(task);
    if (story.is_null() || story.at("step").is_null()) return std::nullopt;
    const auto step = views::from_json_shape<views::StepOfTask>(story.at("step"));
    return std::pair(step.job, step.name);
}

std::vector<store::EventRecord> RemoteStore::events(const store::ReadEventsParams& params) {
    Query query{{"after", std::to_string(params.after_id)}};
    if (params.task) query["task"] = params.task->to_string();
    if (params.worker) query["worker"] = params.worker->to_string();
    std::vector<store::EventRecord> events;
    for (const Json& item : link_.list(path_of({"events"}), query, params.limit))
        events.push_back(views::from_json_shape<views::WholeEvent>(item));
    return events;
}

std::vector<store::EventRecord> RemoteStore::last_events(std::size_t limit) {
    std::vector<store::EventRecord> events;
    const Query query{{"limit", std::to_string(std::min<std::size_t>(limit, 1000))}};
    const Json answer = link_.get(path_of({"events"}), query);
    for (const Json& item : answer.at("items")) events.push_back(views::from_json_shape<views::WholeEvent>(item));
    return events;
}

std::vector<CancelStatus> RemoteStore::cancel(const store::CancelParams& params) {
    std::vector<CancelStatus> statuses;
    for (const Uuid& task : params.tasks)
        statuses.push_back(
            cancel_status(link_.order(path_of({"tasks", task.to_string(), "cancel"}), {{"reason", params.reason}})));
    return statuses;
}

std::vector<store::ForceStatus> RemoteStore::force(const store::ForceParams& params) {
    std::vector<store::ForceStatus> statuses;
    const Json order = {{"state", to_text(params.state)}, {"reason", params.reason}};
    for (const Uuid& task : params.tasks)
        statuses.push_back(force_status(link_.order(path_of({"tasks", task.to_string(), "force"}), order)));
    return statuses;
}

std::vector<store::LogRecord> RemoteStore::read_logs(const store::ReadLogsParams& params) {
    const Query query{{"after", std::to_string(params.after_offset)}, {"limit", std::to_string(params.limit)}};
    std::vector<store::LogRecord> pieces;
    const Json answer = link_.get(path_of({"tasks", params.task.to_string(), "logs"}), query);
    for (const Json& item : answer.at("items")) {
        pieces.push_back(views::from_json_shape<store::LogRecord>(item));
        pieces.back().chunk.task = params.task;
    }
    return pieces;
}

}  // namespace holdfast::remote
