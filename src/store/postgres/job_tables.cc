#include "store/postgres/job_tables.h"

#include <map>

#include "base/text.h"
#include "store/admission.h"
#include "store/encoding.h"
#include "store/postgres/endings.h"
#include "store/postgres/submit.h"

namespace holdfast::postgres {

namespace {

using store::JobRow;
using store::StepKey;
using store::StepRow;

#define HOLDFAST_STEP_COLUMNS                                                                                 \
    "job_id, step, item, state, open, succeeded, failed, skipped, begun_items, under_way, task_id, child_id," \
    " ready_at, finished_at, wakes_at, value, output, error_code, error_message, error_data"

std::vector<StepRow> read_steps(const Rows& rows) {
    std::vector<StepRow> steps;
    steps.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) {
        auto& step = steps.emplace_back();
        step.key = {rows.uuid(row, 0), rows.small(row, 1), rows.small(row, 2)};
        step.state = store::read_step_state(rows.text(row, 3));
        step.ends = {rows.small(row, 4), rows.small(row, 5), rows.small(row, 6), rows.small(row, 7)};
        step.begun_items = rows.small(row, 8);
        step.under_way = rows.small(row, 9);
        step.task = rows.uuid(row, 10);
        step.child = rows.uuid(row, 11);
        step.ready_at = rows.optional_time(row, 12);
        step.finished_at = rows.optional_time(row, 13);
        step.wakes_at = rows.optional_time(row, 14);
        step.value = rows.string(row, 15);
        step.output = rows.string(row, 16);
        step.error = read_error(rows, row, 17);
    }
    return steps;
}

/// Errors as three columns.
struct ErrorColumns {
    void add(const std::optional<TaskError>& error) {
        if (!error) {
            codes.add_null();
            messages.add_null();
            datas.add_null();
            return;
        }
        codes.add(error->code);
        messages.add(error->message);
        datas.add_unless_empty(error->data);
    }
    Array<std::string_view> codes, messages, datas;
};

/// Of job_progress.
struct ProgressColumns {
    explicit ProgressColumns(const std::vector<JobRow>& jobs) {
        for (const auto& [head, progress] : jobs) {
            ids.add(head.id);
            states.add(to_text(progress.state));
            open_steps.add(progress.open_steps);
            failed_steps.add(progress.failed_steps);
            first_faileds.add(progress.first_failed);
            started_ats.add_optional(progress.started_at);
            finished_ats.add_optional(progress.finished_at);
            deadlines.add_optional(progress.deadline);
            cancel_codes.add_unless_empty(progress.cancel_code);
            cancel_reasons.add_unless_empty(progress.cancel_reason);
            outputs.add_unless_empty(progress.output);
            errors.add(progress.error);
        }
    }
    Array<Uuid> ids;
    Array<std::string_view> states, cancel_codes, cancel_reasons, outputs;
    Array<int> open_steps, failed_steps, first_faileds;
    Array<Timestamp> started_ats, finished_ats, deadlines;
    ErrorColumns errors;
};

/// Of job.
struct HeadColumns {
    explicit HeadColumns(const std::vector<JobRow>& jobs) {
        for (const auto& job : jobs) {
            const auto& head = job.head;
            definitions.add(head.definition);
            workflows.add(head.workflow);
            inputs.add(head.input);
            roots.add(head.root);
            head.parent ? parents.add(head.parent->job) : parents.add_null();
            head.parent ? parent_steps.add(head.parent->step) : parent_steps.add_null();
            head.parent ? parent_items.add(head.parent->item) : parent_items.add_null();
            depths.add(head.depth);
            retry_ofs.add_unless_nil(head.retry_of);
            created_ats.add(head.created_at);
            head.timeout ? timeouts.add(std::int64_t{head.timeout->count()}) : timeouts.add_null();
        }
    }
    Array<Uuid> definitions, roots, parents, retry_ofs;
    Array<std::string_view> workflows, inputs;
    Array<int> parent_steps, parent_items, depths;
    Array<Timestamp> created_ats;
    Array<std::int64_t> timeouts;
};

struct KeyColumns {
    void add(const StepKey& key) {
        jobs.add(key.job);
        steps.add(key.step);
        items.add(key.item);
    }
    Array<Uuid> jobs;
    Array<int> steps, items;
};

Params step_params(const std::vector<StepRow>& rows) {
    KeyColumns keys;
    Array<std::string_view> states, values, outputs;
    Array<int> open, succeeded, failed, skipped, begun, under_way;
    Array<Uuid> tasks, children;
    Array<Timestamp> ready_ats, finished_ats, wakes_ats;
    ErrorColumns errors;
    for (const auto& row : rows) {
        keys.add(row.key);
        states.add(to_text(row.state));
        open.add(row.ends.open);
        succeeded.add(row.ends.succeeded);
        failed.add(row.ends.failed);
        skipped.add(row.ends.skipped);
        begun.add(row.begun_items);
        under_way.add(row.under_way);
        tasks.add_unless_nil(row.task);
        children.add_unless_nil(row.child);
        ready_ats.add_optional(row.ready_at);
        finished_ats.add_optional(row.finished_at);
        wakes_ats.add_optional(row.wakes_at);
        values.add_unless_empty(row.value);
        outputs.add_unless_empty(row.output);
        errors.add(row.error);
    }
    return Params(keys.jobs, keys.steps, keys.items, states, open, succeeded, failed, skipped, begun, under_way,
                  tasks, children, ready_ats, finished_ats, wakes_ats, values, outputs, errors.codes, errors.messages,
                  errors.datas);
}

}  // namespace

std::optional<TaskError> read_error(const Rows& rows, int row, int column) {
    if (rows.is_null(row, column)) return std::nullopt;
    return TaskError{rows.string(row, column), rows.string(row, column + 1), rows.string(row, column + 2)};
}

std::vector<Uuid> read_ids(const Rows& rows) {
    std::vector<Uuid> ids;
    ids.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) ids.push_back(rows.uuid(row, 0));
    return ids;
}

JobRow read_job(const Rows& rows, int row) {
    JobRow job;
    auto& head = job.head;
    head.id = rows.uuid(row, 0);
    head.definition = rows.uuid(row, 1);
    head.workflow = rows.string(row, 2);
    head.input = rows.string(row, 3);
    head.root = rows.uuid(row, 4);
    if (!rows.is_null(row, 5)) head.parent = StepKey{rows.uuid(row, 5), rows.small(row, 6), rows.small(row, 7)};
    head.depth = rows.small(row, 8);
    head.retry_of = rows.uuid(row, 9);
    head.created_at = rows.time(row, 10);
    if (!rows.is_null(row, 11)) head.timeout = Duration(rows.integer(row, 11));
    auto& progress = job.progress;
    progress.state = store::read_job_state(rows.text(row, 12));
    progress.open_steps = rows.small(row, 13);
    progress.failed_steps = rows.small(row, 14);
    progress.first_failed = rows.small(row, 15);
    progress.started_at = rows.optional_time(row, 16);
    progress.finished_at = rows.optional_time(row, 17);
    progress.deadline = rows.optional_time(row, 18);
    progress.cancel_code = rows.string(row, 19);
    progress.cancel_reason = rows.string(row, 20);
    progress.output = rows.string(row, 21);
    progress.error = read_error(rows, row, 22);
    return job;
}

void lock_trees(Transaction& tx, const std::vector<Uuid>& jobs) {
    tx.run("SELECT holdfast.lock_trees($1)", jobs);
}

std::vector<JobRow> PostgresJobTables::load_jobs(const std::vector<Uuid>& jobs) {
    const auto rows = tx_.run("SELECT " HOLDFAST_JOB_COLUMNS " FROM holdfast.load_jobs($1)", jobs);
    std::vector<JobRow> found;
    for (int row = 0; row < rows.size(); ++row) found.push_back(read_job(rows, row));
    return found;
}

std::vector<StepRow> PostgresJobTables::load_steps(const std::vector<StepKey>& steps) {
    KeyColumns keys;
    for (const auto& step : steps) keys.add(step);
    return read_steps(tx_.run("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_steps($1, $2, $3)", keys.jobs,
                              keys.steps, keys.items));
}

std::vector<StepRow> PostgresJobTables::load_all_steps(const Uuid& job) {
    return read_steps(tx_.run("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_all_steps($1, NULL)", job));
}

std::vector<StepRow> PostgresJobTables::load_items(const Uuid& job, int step) {
    return read_steps(tx_.run("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_all_steps($1, $2)", job, step));
}

std::vector<StepRow> PostgresJobTables::steps_of_tasks(const std::vector<Uuid>& tasks) {
    return read_steps(tx_.run("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.steps_of_tasks($1)", tasks));
}

std::vector<Uuid> PostgresJobTables::open_children(const Uuid& job) {
    return read_ids(tx_.run("SELECT holdfast.open_children($1)", job));
}

std::string PostgresJobTables::definition_text(const Uuid& definition) {
    const auto row = tx_.run("SELECT text FROM holdfast.workflow_definition WHERE id = $1", definition);
    return row.empty() ? "" : row.string(0, 0);
}

std::vector<store::JobTables::TaskEnd> PostgresJobTables::task_ends(const std::vector<Uuid>& tasks) {
    const auto rows = tx_.run(
        "SELECT task_id, state, result, error_code, error_message, error_data FROM holdfast.task_ends($1)", tasks);
    std::vector<TaskEnd> ends;
    for (int row = 0; row < rows.size(); ++row) {
        auto& end = ends.emplace_back();
        end.task = rows.uuid(row, 0);
        end.state = store::read_task_state(rows.text(row, 1));
        if (!rows.is_null(row, 2)) end.result = rows.string(row, 2);
        end.error = read_error(rows, row, 3);
    }
    return ends;
}

std::vector<Uuid> PostgresJobTables::existing_tasks(const std::vector<Uuid>& tasks) {
    return read_ids(tx_.run("SELECT holdfast.existing_tasks($1)", tasks));
}

bool PostgresJobTables::is_pruned_up_to(const Uuid& id) {
    return tx_.run("SELECT highest >= $1 FROM holdfast.pruned WHERE id = 1", id).boolean(0, 0);
}

void PostgresJobTables::insert_definition(const Uuid& definition, const std::string& text) {
    tx_.run("SELECT holdfast.insert_definition($1, $2)", definition, text);
}

void PostgresJobTables::insert_jobs(const std::vector<JobRow>& jobs) {
    const HeadColumns head(jobs);
    const ProgressColumns progress(jobs);
    tx_.run(
        "SELECT holdfast.insert_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,"
        " $19, $20, $21, $22, $23, $24, $25)",
        progress.ids, head.definitions, head.workflows, head.inputs, head.roots, head.parents, head.parent_steps,
        head.parent_items, head.depths, head.retry_ofs, head.created_ats, head.timeouts, progress.states,
        progress.open_steps, progress.failed_steps, progress.first_faileds, progress.started_ats,
        progress.finished_ats, progress.deadlines, progress.cancel_codes, progress.cancel_reasons, progress.outputs,
        progress.errors.codes, progress.errors.messages, progress.errors.datas);
}

void PostgresJobTables::save_jobs(const std::vector<JobRow>& jobs) {
    const ProgressColumns progress(jobs);
    tx_.run("SELECT holdfast.save_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)", progress.ids,
            progress.states, progress.open_steps, progress.failed_steps, progress.first_faileds, progress.started_ats,
            progress.finished_ats, progress.deadlines, progress.cancel_codes, progress.cancel_reasons,
            progress.outputs, progress.errors.codes, progress.errors.messages, progress.errors.datas);
}

void PostgresJobTables::insert_steps(const std::vector<StepRow>& steps) {
    tx_.run(
        Command{"SELECT holdfast.insert_steps($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,"
                " $16, $17, $18, $19, $20)",
                step_params(steps)});
}

void PostgresJobTables::save_steps(const std::vector<StepRow>& steps) {
    tx_.run(
        Command{"SELECT holdfast.save_steps($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,"
                " $16, $17, $18, $19, $20)",
                step_params(steps)});
}

std::vector<store::SubmitOutcome> PostgresJobTables::submit_tasks(const std::vector<store::NewTask>& tasks) {
    std::vector<store::SubmitOutcome> outcomes;
    std::vector<int> routes(tasks.size());
    std::map<std::pair<std::string, std::vector<std::string>>, int> interned;
    Batch batch;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        outcomes.push_back({store::SubmitStatus::Accepted, tasks[i].id, ""});
        if (auto complaint = store::refusal(tasks[i], limits_)) {
            outcomes[i] = {store::SubmitStatus::Refused, tasks[i].id, std::move(*complaint)};
            continue;
        }
        const auto [route, is_new] = interned.try_emplace({tasks[i].queue, store::canonical_tags(tasks[i].tags)});
        if (is_new) route->second = routes_.intern(tx_, route->first.first, route->first.second);
        routes[i] = route->second;
        batch.push_back(i);
    }
    if (batch.empty()) return outcomes;
    const auto answer = tx_.run(submit_command(tasks, batch, routes, nullptr));
    read_outcomes(answer, tasks, batch, outcomes);
    return outcomes;
}

void PostgresJobTables::hold_tasks(const std::vector<Uuid>& jobs) {
    tx_.run("SELECT holdfast.hold_tasks($1)", jobs);
}

void PostgresJobTables::release_tasks(const std::vector<Uuid>& jobs) {
    tx_.run("SELECT holdfast.release_tasks($1)", jobs);
}

void PostgresJobTables::write_events(const std::vector<store::NewEvent>& events) {
    postgres::write_events(tx_, events);
}

}  // namespace holdfast::postgres
