#pragma once

#include <concepts>
#include <type_traits>

#include "store/jobs/step_infos.h"
#include "store/rows.h"

/// How rows of both stores become jobs, steps and schedules (see store/rows.h), and how jobs and steps become rows.
namespace holdfast::store {

/// A record that is read, or one that is written.
template <typename T, typename Record>
concept Either = std::same_as<std::remove_const_t<T>, Record>;

/// job_id, step, item.
auto columns_of(Either<StepKey> auto& key) {
    return std::tie(key.job, key.step, key.item);
}

/// Of `job`.
#define HOLDFAST_HEAD_COLUMNS                                                                                       \
    "id, definition_id, workflow, input, root_id, parent_id, parent_step, parent_item, depth, retry_of, created_at" \
    ", timeout_us"
auto columns_of(Either<JobHead> auto& head) {
    return std::tie(head.id, head.definition, head.workflow, head.input, head.root, head.parent, head.depth,
                    head.retry_of, head.created_at, head.timeout);
}

/// Of `job_progress`, without the id of the job.
#define HOLDFAST_PROGRESS_COLUMNS                                                                                  \
    "state, open_steps, failed_steps, first_failed, started_at, finished_at, deadline, cancel_code, cancel_reason" \
    ", output, error_code, error_message, error_data"
auto columns_of(Either<JobProgress> auto& progress) {
    return std::tie(progress.state, progress.open_steps, progress.failed_steps, progress.first_failed,
                    progress.started_at, progress.finished_at, progress.deadline, progress.cancel_code,
                    progress.cancel_reason, progress.output, progress.error);
}

#define HOLDFAST_JOB_COLUMNS HOLDFAST_HEAD_COLUMNS ", " HOLDFAST_PROGRESS_COLUMNS
inline auto columns_of(JobRow& job) {
    return std::tie(job.head, job.progress);
}

#define HOLDFAST_STEP_COLUMNS                                                                                 \
    "job_id, step, item, state, open, succeeded, failed, skipped, begun_items, under_way, task_id, child_id," \
    " ready_at, finished_at, wakes_at, value, output, error_code, error_message, error_data"
auto columns_of(Either<StepRow> auto& step) {
    return std::tie(step.key, step.state, step.ends.open, step.ends.succeeded, step.ends.failed, step.ends.skipped,
                    step.begun_items, step.under_way, step.task, step.child, step.ready_at, step.finished_at,
                    step.wakes_at, step.value, step.output, step.error);
}

/// job_id, step, item, state, task_id, child_id, ready_at, finished_at, wakes_at, value, output, error; the result
/// and error of its task; output and start of its child; start and ended runs of its task, whether that runs;
/// fraction, text and time of its progress.
inline auto columns_of(ReadStep& step) {
    auto& row = step.row;
    return std::tie(row.key, row.state, row.task, row.child, row.ready_at, row.finished_at, row.wakes_at, row.value,
                    row.output, row.error, step.task_result, step.task_error, step.child_output,
                    step.child_started_at, step.task_started_at, step.ended_runs, step.task_runs, step.progress);
}

/// task_id, state, result, error_code, error_message, error_data, of `ending`.
inline auto columns_of(JobTables::TaskEnd& end) {
    return std::tie(end.task, end.state, end.result, end.error);
}

#define HOLDFAST_SCHEDULE_COLUMNS \
    "s.name, s.timing, s.definition, s.input, s.paused, s.created_at, s.decided_until, s.last_job_id"
/// The same, followed by the state of the last job.
inline auto columns_of(ScheduleRecord& record) {
    auto& [name, timing, definition, input] = record.schedule;
    return std::tie(name, timing, definition, input, record.paused, record.created_at, record.decided_until,
                    record.last_job, record.last_state);
}

// ---- Writing
// --------------------------------------------------------------------------------------------------------

// The values of a member's columns, as a tuple: see store/rows.h.
inline auto column_values(const Uuid& id) {
    return std::tuple(id.is_nil() ? std::nullopt : std::optional(id));
}
inline auto column_values(const std::string& text) {
    return std::tuple(unless_empty(text));
}
auto column_values(Worded auto word) {
    return std::tuple(word_of(word));
}
template <typename T>
requires std::is_same_v<T, int> || std::is_same_v<T, Timestamp> || std::is_same_v<T, std::optional<Timestamp>> ||
    std::is_same_v<T, std::optional<Duration>>
auto column_values(const T& value) {
    return std::tuple(value);
}
inline auto column_values(const std::optional<StepKey>& key) {
    return key ? std::tuple(std::optional(key->job), std::optional(key->step), std::optional(key->item))
               : std::tuple<std::optional<Uuid>, std::optional<int>, std::optional<int>>();
}

/// The values of a record, in the order of its columns. Texts are views of its members.
template <HasColumns Record>
[[nodiscard]] auto column_values(const Record& record) {
    return std::apply([](const auto&... members) { return std::tuple_cat(column_values(members)...); },
                      columns_of(record));
}

}  // namespace holdfast::store
