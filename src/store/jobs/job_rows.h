#pragma once

#include "store/jobs/step_infos.h"
#include "store/rows.h"

/// How rows of both stores become jobs, steps and schedules: see store/rows.h.
namespace holdfast::store {

/// Of `job` joined with `job_progress`.
#define HOLDFAST_JOB_COLUMNS                                                                                         \
    "id, definition_id, workflow, input, root_id, parent_id, parent_step, parent_item, depth, retry_of, created_at," \
    " timeout_us, state, open_steps, failed_steps, first_failed, started_at, finished_at, deadline, cancel_code,"    \
    " cancel_reason, output, error_code, error_message, error_data"
inline constexpr auto read_job = [](const auto& row) {
    JobRow job;
    auto& head = job.head;
    head.id = row.uuid(0);
    head.definition = row.uuid(1);
    head.workflow = row.string(2);
    head.input = row.string(3);
    head.root = row.uuid(4);
    if (!row.is_null(5)) head.parent = StepKey{row.uuid(5), row.small(6), row.small(7)};
    head.depth = row.small(8);
    head.retry_of = row.uuid(9);
    head.created_at = row.time(10);
    if (!row.is_null(11)) head.timeout = Duration(row.integer(11));
    auto& progress = job.progress;
    progress.state = read_job_state(row.text(12));
    progress.open_steps = row.small(13);
    progress.failed_steps = row.small(14);
    progress.first_failed = row.small(15);
    progress.started_at = row.optional_time(16);
    progress.finished_at = row.optional_time(17);
    progress.deadline = row.optional_time(18);
    progress.cancel_code = row.string(19);
    progress.cancel_reason = row.string(20);
    progress.output = row.string(21);
    progress.error = read_error(row, 22);
    return job;
};

#define HOLDFAST_STEP_COLUMNS                                                                                 \
    "job_id, step, item, state, open, succeeded, failed, skipped, begun_items, under_way, task_id, child_id," \
    " ready_at, finished_at, wakes_at, value, output, error_code, error_message, error_data"
inline constexpr auto read_step = [](const auto& row) {
    StepRow step;
    step.key = {row.uuid(0), row.small(1), row.small(2)};
    step.state = read_step_state(row.text(3));
    step.ends = {row.small(4), row.small(5), row.small(6), row.small(7)};
    step.begun_items = row.small(8);
    step.under_way = row.small(9);
    step.task = row.uuid(10);
    step.child = row.uuid(11);
    step.ready_at = row.optional_time(12);
    step.finished_at = row.optional_time(13);
    step.wakes_at = row.optional_time(14);
    step.value = row.string(15);
    step.output = row.string(16);
    step.error = read_error(row, 17);
    return step;
};

/// job_id, step, item.
inline constexpr auto read_step_key = [](const auto& row) {
    return StepKey{row.uuid(0), row.small(1), row.small(2)};
};

/// job_id, step, item, state, task_id, child_id, ready_at, finished_at, wakes_at, value, output, error; the result
/// and error of its task; output and start of its child; start and ended runs of its task, whether that runs;
/// fraction, text and time of its progress.
inline constexpr auto read_shown_step = [](const auto& row) {
    ReadStep step;
    step.row.key = read_step_key(row);
    step.row.state = read_step_state(row.text(3));
    step.row.task = row.uuid(4);
    step.row.child = row.uuid(5);
    step.row.ready_at = row.optional_time(6);
    step.row.finished_at = row.optional_time(7);
    step.row.wakes_at = row.optional_time(8);
    step.row.value = row.string(9);
    step.row.output = row.string(10);
    step.row.error = read_error(row, 11);
    step.task_result = row.string(14);
    step.task_error = read_error(row, 15);
    step.child_output = row.string(18);
    step.child_started_at = row.optional_time(19);
    step.task_started_at = row.optional_time(20);
    step.ended_runs = row.small(21);
    step.task_runs = row.boolean(22);
    if (!row.is_null(23)) step.progress = Progress{row.real(23), row.string(24), row.time(25)};
    return step;
};

/// task_id, state, result, error_code, error_message, error_data, of `ending`.
inline constexpr auto read_task_end = [](const auto& row) {
    JobTables::TaskEnd end;
    end.task = row.uuid(0);
    end.state = read_task_state(row.text(1));
    if (!row.is_null(2)) end.result = row.string(2);
    end.error = read_error(row, 3);
    return end;
};

#define HOLDFAST_SCHEDULE_COLUMNS \
    "s.name, s.timing, s.definition, s.input, s.paused, s.created_at, s.decided_until, s.last_job_id"
/// The same, followed by the state of the last job.
inline constexpr auto read_schedule = [](const auto& row) {
    ScheduleRecord record;
    record.schedule = {row.string(0), row.string(1), row.string(2), row.string(3)};
    record.paused = row.boolean(4);
    record.created_at = row.time(5);
    record.decided_until = row.time(6);
    record.last_job = row.uuid(7);
    if (!row.is_null(8)) record.last_state = read_job_state(row.text(8));
    return record;
};

}  // namespace holdfast::store
