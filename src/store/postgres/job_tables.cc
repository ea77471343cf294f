#include "store/postgres/job_tables.h"

#include <map>

#include "base/text.h"
#include "store/admission.h"
#include "store/jobs/job_rows.h"
#include "store/postgres/endings.h"
#include "store/postgres/submit_batch.h"

namespace holdfast::postgres {

namespace {

using store::JobRow;
using store::StepKey;
using store::StepRow;

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

void lock_trees(Transaction& tx, const std::vector<Uuid>& jobs) {
    tx.run("SELECT holdfast.lock_trees($1)", jobs);
}

std::vector<JobRow> PostgresJobTables::load_jobs(const std::vector<Uuid>& jobs) {
    return tx_.run("SELECT " HOLDFAST_JOB_COLUMNS " FROM holdfast.load_jobs($1)", jobs).all(store::read_job);
}

std::vector<StepRow> PostgresJobTables::load_steps(const std::vector<StepKey>& steps) {
    KeyColumns keys;
    for (const auto& step : steps) keys.add(step);
    return tx_
        .run("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_steps($1, $2, $3)", keys.jobs, keys.steps,
             keys.items)
        .all(store::read_step);
}

std::vector<StepRow> PostgresJobTables::load_all_steps(const Uuid& job) {
    return tx_.run("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_all_steps($1, NULL)", job)
        .all(store::read_step);
}

std::vector<StepRow> PostgresJobTables::load_items(const Uuid& job, int step) {
    return tx_.run("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_all_steps($1, $2)", job, step)
        .all(store::read_step);
}

std::vector<StepRow> PostgresJobTables::steps_of_tasks(const std::vector<Uuid>& tasks) {
    return tx_.run("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.steps_of_tasks($1)", tasks).all(store::read_step);
}

std::vector<Uuid> PostgresJobTables::open_children(const Uuid& job) {
    return tx_.run("SELECT holdfast.open_children($1)", job).all(store::read_id);
}

std::string PostgresJobTables::definition_text(const Uuid& definition) {
    const auto row = tx_.run("SELECT text FROM holdfast.workflow_definition WHERE id = $1", definition);
    return row.empty() ? "" : row[0].string(0);
}

std::vector<store::JobTables::TaskEnd> PostgresJobTables::task_ends(const std::vector<Uuid>& tasks) {
    return tx_
        .run("SELECT task_id, state, result, error_code, error_message, error_data FROM holdfast.task_ends($1)",
             tasks)
        .all(store::read_task_end);
}

std::vector<Uuid> PostgresJobTables::existing_tasks(const std::vector<Uuid>& tasks) {
    return tx_.run("SELECT holdfast.existing_tasks($1)", tasks).all(store::read_id);
}

bool PostgresJobTables::is_pruned_up_to(const Uuid& id) {
    return tx_.run("SELECT highest >= $1 FROM holdfast.pruned WHERE id = 1", id)[0].boolean(0);
}

void PostgresJobTables::insert_definition(const Uuid& definition, const std::string& text) {
    tx_.run("SELECT holdfast.insert_definition($1, $2)", definition, text);
}

void PostgresJobTables::insert_jobs(const std::vector<JobRow>& jobs) {
    const HeadColumns head(jobs);
    const ProgressColumns progress(jobs);
    tx_.run(
        R"sql(SELECT holdfast.insert_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
              $16, $17, $18, $19, $20, $21, $22, $23, $24, $25))sql",
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
    tx_.run(Command{R"sql(SELECT holdfast.insert_steps($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                          $15, $16, $17, $18, $19, $20))sql",
                    step_params(steps)});
}

void PostgresJobTables::save_steps(const std::vector<StepRow>& steps) {
    tx_.run(Command{R"sql(SELECT holdfast.save_steps($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                          $15, $16, $17, $18, $19, $20))sql",
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
