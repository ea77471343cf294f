#include "client/task_info.h"

#include "base/text.h"
#include "holdfast/errors.h"
#include "holdfast/typed_task.h"

namespace holdfast {

namespace client {

TaskInfo to_info(const store::TaskRecord& record) {
    return {.id = record.task.id,
            .name = record.task.name,
            .args = record.task.args,
            .queue = record.task.queue,
            .tags = record.task.tags,
            .priority = record.task.priority,
            .run_at = record.task.run_at,
            .deadline = record.task.deadline,
            .concurrency = record.task.concurrency,
            .idempotency_key = record.task.idempotency_key,
            .policy = record.task.policy,
            .retry_of = record.task.retry_of,
            .traceparent = record.task.traceparent,
            .state = record.state,
            .waits_for = record.waits_for,
            .attempts = record.history.attempts,
            .crashes = record.history.crashes,
            .requeues = record.history.requeues,
            .created_at = record.created_at,
            .claimed_at = record.claimed_at,
            .started_at = record.started_at,
            .finished_at = record.finished_at,
            .lease = record.lease,
            .worker = record.worker,
            .cancel_requested = record.cancel_requested,
            .result = record.result,
            .error = record.error,
            .progress = record.progress,
            .checkpoint = record.checkpoint};
}

AttemptInfo to_info(const store::AttemptRecord& record) {
    return {.number = record.number,
            .lease = record.lease,
            .worker = record.worker,
            .claimed_at = record.claimed_at,
            .started_at = record.started_at,
            .finished_at = record.finished_at,
            .end = std::string(word_of(record.end)),
            .error = record.error};
}

EventInfo to_info(const store::EventRecord& record) {
    return {.id = record.id,
            .at = record.at,
            .kind = record.kind,
            .worker = record.worker,
            .who = record.who,
            .message = record.message,
            .data = record.data};
}

}  // namespace client

Result<nlohmann::json, TaskError> result_of(const TaskInfo& task) {
    if (!is_terminal(task.state))
        throw WrongState(concat("task ", task.id.to_string(), " is ", to_text(task.state), " and has no result yet"));
    if (task.state != TaskState::Completed) return Failure{task.error.value_or(TaskError{})};
    nlohmann::json value = nlohmann::json::parse(task.result, nullptr, /*allow_exceptions=*/false);
    if (!value.is_discarded()) return value;
    return Failure{
        TaskError{std::string(error_code::result_not_readable), "the stored result is not JSON", task.result}};
}

}  // namespace holdfast
