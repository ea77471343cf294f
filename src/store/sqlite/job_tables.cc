#include "store/sqlite/job_tables.h"

#include "store/encoding.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/error_columns.h"
#include "store/sqlite/prune.h"

namespace holdfast::sqlite {

namespace {

using store::JobRow;
using store::StepKey;
using store::StepRow;

store::JobHead read_head(const Query& row) {
    store::JobHead head;
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
    return head;
}

store::JobProgress read_progress(const Query& row, int column) {
    store::JobProgress progress;
    progress.state = store::read_job_state(row.text(column));
    progress.open_steps = row.small(column + 1);
    progress.failed_steps = row.small(column + 2);
    progress.first_failed = row.small(column + 3);
    progress.started_at = row.optional_time(column + 4);
    progress.finished_at = row.optional_time(column + 5);
    progress.deadline = row.optional_time(column + 6);
    progress.cancel_code = row.string(column + 7);
    progress.cancel_reason = row.string(column + 8);
    progress.output = row.string(column + 9);
    progress.error = read_error(row, column + 10);
    return progress;
}

// The columns of a step, in the order of read_step.
#define HOLDFAST_STEP_COLUMNS                                                                                 \
    "job_id, step, item, state, open, succeeded, failed, skipped, begun_items, under_way, task_id, child_id," \
    " ready_at, finished_at, wakes_at, value, output, error_code, error_message, error_data"

StepRow read_step(const Query& row) {
    StepRow step;
    step.key = {row.uuid(0), row.small(1), row.small(2)};
    step.state = store::read_step_state(row.text(3));
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
}

std::vector<StepRow> read_steps(Query rows) {
    std::vector<StepRow> steps;
    while (rows.step()) steps.push_back(read_step(rows));
    return steps;
}

std::vector<Uuid> read_ids(Query rows) {
    std::vector<Uuid> ids;
    while (rows.step()) ids.push_back(rows.uuid(0));
    return ids;
}

void insert_progress(Database& db, const JobRow& job) {
    const auto& progress = job.progress;
    const ErrorColumns error(progress.error);
    db.run(
        "INSERT INTO job_progress (job_id, state, open_steps, failed_steps, first_failed, started_at, finished_at,"
        " deadline, cancel_code, cancel_reason, output, error_code, error_message, error_data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        job.head.id, to_text(progress.state), progress.open_steps, progress.failed_steps, progress.first_failed,
        progress.started_at, progress.finished_at, progress.deadline, unless_empty(progress.cancel_code),
        unless_empty(progress.cancel_reason), unless_empty(progress.output), error.code, error.message, error.data);
}

/// The tasks of the job's own steps that have not ended.
std::vector<Uuid> open_tasks(Database& db, const Uuid& job) {
    return read_ids(
        db.query("SELECT task_id FROM step WHERE job_id = ? AND task_id IS NOT NULL AND state = 'READY'", job));
}

/// Puts a task that was held back to where its time says.
void release_task(Transaction& tx, const Uuid& task) {
    const auto pending = find_pending(tx.db, task);
    if (pending && pending->waits_for == store::WaitReason::Job) {
        remove_pending(tx, *pending);
        place(tx, task, pending->position);
    }
    tx.db.run("UPDATE lease SET stop_requested = NULL WHERE task_id = ? AND stop_requested = 'pause'", task);
}

}  // namespace

std::vector<JobRow> SqliteJobTables::load_jobs(const std::vector<Uuid>& jobs) {
    std::vector<JobRow> found;
    for (const auto& job : jobs) {
        auto row = tx_.db.query(
            "SELECT j.id, j.definition_id, j.workflow, j.input, j.root_id, j.parent_id, j.parent_step, j.parent_item,"
            " j.depth, j.retry_of, j.created_at, j.timeout_us, p.state, p.open_steps, p.failed_steps, p.first_failed,"
            " p.started_at, p.finished_at, p.deadline, p.cancel_code, p.cancel_reason, p.output, p.error_code,"
            " p.error_message, p.error_data FROM job j JOIN job_progress p ON p.job_id = j.id WHERE j.id = ?",
            job);
        if (row.step()) found.push_back({read_head(row), read_progress(row, 12)});
    }
    return found;
}

std::vector<StepRow> SqliteJobTables::load_steps(const std::vector<StepKey>& steps) {
    std::vector<StepRow> found;
    for (const auto& key : steps) {
        auto row =
            tx_.db.query("SELECT " HOLDFAST_STEP_COLUMNS " FROM step WHERE job_id = ? AND step = ? AND item = ?",
                         key.job, key.step, key.item);
        if (row.step()) found.push_back(read_step(row));
    }
    return found;
}

std::vector<StepRow> SqliteJobTables::load_all_steps(const Uuid& job) {
    return read_steps(
        tx_.db.query("SELECT " HOLDFAST_STEP_COLUMNS " FROM step WHERE job_id = ? AND item = -1 ORDER BY step", job));
}

std::vector<StepRow> SqliteJobTables::load_items(const Uuid& job, int step) {
    return read_steps(tx_.db.query("SELECT " HOLDFAST_STEP_COLUMNS
                                   " FROM step WHERE job_id = ? AND step = ? AND item >= 0 ORDER BY item",
                                   job, step));
}

std::vector<StepRow> SqliteJobTables::steps_of_tasks(const std::vector<Uuid>& tasks) {
    std::vector<StepRow> found;
    for (const auto& task : tasks) {
        auto row = tx_.db.query("SELECT " HOLDFAST_STEP_COLUMNS " FROM step WHERE task_id = ?", task);
        if (row.step()) found.push_back(read_step(row));
    }
    return found;
}

std::vector<Uuid> SqliteJobTables::open_children(const Uuid& job) {
    return read_ids(
        tx_.db.query("SELECT j.id FROM job j JOIN job_progress p ON p.job_id = j.id WHERE j.parent_id = ?"
                     " AND (p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED') ORDER BY j.id",
                     job));
}

std::string SqliteJobTables::definition_text(const Uuid& definition) {
    auto row = tx_.db.query("SELECT text FROM workflow_definition WHERE id = ?", definition);
    return row.step() ? row.string(0) : "";
}

std::vector<store::JobTables::TaskEnd> SqliteJobTables::task_ends(const std::vector<Uuid>& tasks) {
    std::vector<TaskEnd> ends;
    for (const auto& task : tasks) {
        auto row = tx_.db.query(
            "SELECT state, result, error_code, error_message, error_data FROM ending WHERE task_id = ?", task);
        if (!row.step()) continue;
        auto& end = ends.emplace_back();
        end.task = task;
        end.state = store::read_task_state(row.text(0));
        if (!row.is_null(1)) end.result = row.string(1);
        end.error = read_error(row, 2);
    }
    return ends;
}

std::vector<Uuid> SqliteJobTables::existing_tasks(const std::vector<Uuid>& tasks) {
    std::vector<Uuid> found;
    for (const auto& task : tasks) {
        auto row = tx_.db.query("SELECT 1 FROM task WHERE id = ?", task);
        if (row.step()) found.push_back(task);
    }
    return found;
}

bool SqliteJobTables::is_pruned_up_to(const Uuid& id) {
    return sqlite::is_pruned_up_to(tx_.db, id);
}

void SqliteJobTables::insert_definition(const Uuid& definition, const std::string& text) {
    tx_.db.run("INSERT INTO workflow_definition (id, text) VALUES (?, ?) ON CONFLICT DO NOTHING", definition, text);
}

void SqliteJobTables::insert_jobs(const std::vector<JobRow>& jobs) {
    for (const auto& job : jobs) {
        const auto& head = job.head;
        const auto& parent = head.parent;
        tx_.db.run(
            "INSERT INTO job (id, definition_id, workflow, input, root_id, parent_id, parent_step, parent_item, "
            "depth,"
            " retry_of, created_at, timeout_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            head.id, head.definition, head.workflow, head.input, head.root, parent ? parent->job : Uuid(),
            parent ? std::optional(parent->step) : std::nullopt, parent ? std::optional(parent->item) : std::nullopt,
            head.depth, head.retry_of, head.created_at, head.timeout);
        insert_progress(tx_.db, job);
    }
}

void SqliteJobTables::save_jobs(const std::vector<JobRow>& jobs) {
    for (const auto& job : jobs) {
        const auto& progress = job.progress;
        const ErrorColumns error(progress.error);
        tx_.db.run(
            "UPDATE job_progress SET state = ?2, open_steps = ?3, failed_steps = ?4, first_failed = ?5, started_at = "
            "?6,"
            " finished_at = ?7, deadline = ?8, cancel_code = ?9, cancel_reason = ?10, output = ?11, error_code = ?12,"
            " error_message = ?13, error_data = ?14 WHERE job_id = ?1",
            job.head.id, to_text(progress.state), progress.open_steps, progress.failed_steps, progress.first_failed,
            progress.started_at, progress.finished_at, progress.deadline, unless_empty(progress.cancel_code),
            unless_empty(progress.cancel_reason), unless_empty(progress.output), error.code, error.message,
            error.data);
    }
}

void SqliteJobTables::insert_steps(const std::vector<StepRow>& steps) {
    for (const auto& step : steps) {
        const ErrorColumns error(step.error);
        tx_.db.run("INSERT INTO step (" HOLDFAST_STEP_COLUMNS
                   ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   step.key.job, step.key.step, step.key.item, to_text(step.state), step.ends.open,
                   step.ends.succeeded, step.ends.failed, step.ends.skipped, step.begun_items, step.under_way,
                   step.task, step.child, step.ready_at, step.finished_at, step.wakes_at, unless_empty(step.value),
                   unless_empty(step.output), error.code, error.message, error.data);
    }
}

void SqliteJobTables::save_steps(const std::vector<StepRow>& steps) {
    for (const auto& step : steps) {
        const ErrorColumns error(step.error);
        tx_.db.run(
            "UPDATE step SET state = ?4, open = ?5, succeeded = ?6, failed = ?7, skipped = ?8, begun_items = ?9,"
            " under_way = ?10, task_id = ?11, child_id = ?12, ready_at = ?13, finished_at = ?14, wakes_at = ?15,"
            " value = ?16, output = ?17, error_code = ?18, error_message = ?19, error_data = ?20"
            " WHERE job_id = ?1 AND step = ?2 AND item = ?3",
            step.key.job, step.key.step, step.key.item, to_text(step.state), step.ends.open, step.ends.succeeded,
            step.ends.failed, step.ends.skipped, step.begun_items, step.under_way, step.task, step.child,
            step.ready_at, step.finished_at, step.wakes_at, unless_empty(step.value), unless_empty(step.output),
            error.code, error.message, error.data);
    }
}

std::vector<store::SubmitOutcome> SqliteJobTables::submit_tasks(const std::vector<store::NewTask>& tasks) {
    std::vector<store::SubmitOutcome> outcomes;
    outcomes.reserve(tasks.size());
    for (const auto& task : tasks) outcomes.push_back(submit_(task));
    return outcomes;
}

void SqliteJobTables::hold_tasks(const std::vector<Uuid>& jobs) {
    for (const auto& job : jobs)
        for (const auto& task : open_tasks(tx_.db, job)) hold_task(tx_, task);
}

void SqliteJobTables::release_tasks(const std::vector<Uuid>& jobs) {
    for (const auto& job : jobs)
        for (const auto& task : open_tasks(tx_.db, job)) release_task(tx_, task);
}

void SqliteJobTables::write_events(const std::vector<store::NewEvent>& events) {
    for (const auto& event : events) write_event(tx_, event);
}

bool hold_task(Transaction& tx, const Uuid& task) {
    using store::WaitReason;
    if (const auto pending = find_pending(tx.db, task)) {
        if (pending->waits_for == WaitReason::Job || pending->waits_for == WaitReason::Overdue) return false;
        remove_pending(tx, *pending);
        park(tx, task, pending->position, WaitReason::Job);
        if (pending->position.key) tx.freed_keys.insert({pending->position.route, *pending->position.key});
        return true;
    }
    return tx.db.run(
               "UPDATE lease SET stop_requested = 'pause'"
               " WHERE task_id = ? AND started_at IS NULL AND stop_requested IS NULL",
               task) == 1;
}

}  // namespace holdfast::sqlite
