#include "store/postgres/job_tables.h"

#include <map>

#include "base/text.h"
#include "store/admission.h"
#include "store/jobs/job_rows.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"

namespace holdfast::postgres {

namespace {

using store::JobRow;
using store::StepKey;
using store::StepRow;

Params step_params(const std::vector<StepRow>& steps) {
    return columns(steps, [](const StepRow& step) { return store::column_values(step); });
}

}  // namespace

void lock_trees(Transaction& tx, const std::vector<Uuid>& jobs) {
    tx.run("SELECT holdfast.lock_trees($1)", jobs);
}

std::vector<JobRow> PostgresJobTables::load_jobs(const std::vector<Uuid>& jobs) {
    return tx_.all("SELECT " HOLDFAST_JOB_COLUMNS " FROM holdfast.load_jobs($1)", store::read_as<JobRow>, jobs);
}

std::vector<StepRow> PostgresJobTables::load_steps(const std::vector<StepKey>& steps) {
    return tx_
        .run(Command{"SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_steps($1, $2, $3)",
                     columns(steps, [](const StepKey& key) { return store::column_values(key); })})
        .all(store::read_as<StepRow>);
}

std::vector<StepRow> PostgresJobTables::load_all_steps(const Uuid& job) {
    return tx_.all("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_all_steps($1, NULL)", store::read_as<StepRow>,
                   job);
}

std::vector<StepRow> PostgresJobTables::load_items(const Uuid& job, int step) {
    return tx_.all("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_all_steps($1, $2)", store::read_as<StepRow>,
                   job, step);
}

std::vector<StepRow> PostgresJobTables::steps_of_tasks(const std::vector<Uuid>& tasks) {
    return tx_.all("SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.steps_of_tasks($1)", store::read_as<StepRow>,
                   tasks);
}

std::vector<Uuid> PostgresJobTables::open_children(const Uuid& job) {
    return tx_.all("SELECT holdfast.open_children($1)", store::read_id, job);
}

std::string PostgresJobTables::definition_text(const Uuid& definition) {
    const auto row = tx_.run("SELECT text FROM holdfast.workflow_definition WHERE id = $1", definition);
    return row.empty() ? "" : row[0].string(0);
}

std::vector<store::JobTables::TaskEnd> PostgresJobTables::task_ends(const std::vector<Uuid>& tasks) {
    return tx_.all("SELECT task_id, state, result, error_code, error_message, error_data FROM holdfast.task_ends($1)",
                   store::read_as<TaskEnd>, tasks);
}

std::vector<Uuid> PostgresJobTables::existing_tasks(const std::vector<Uuid>& tasks) {
    return tx_.all("SELECT holdfast.existing_tasks($1)", store::read_id, tasks);
}

bool PostgresJobTables::is_pruned_up_to(const Uuid& id) {
    return tx_.run("SELECT highest >= $1 FROM holdfast.pruned WHERE id = 1", id)[0].boolean(0);
}

void PostgresJobTables::insert_definition(const Uuid& definition, const std::string& text) {
    tx_.run("SELECT holdfast.insert_definition($1, $2)", definition, text);
}

void PostgresJobTables::insert_jobs(const std::vector<JobRow>& jobs) {
    tx_.run(Command{R"sql(SELECT holdfast.insert_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                          $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25))sql",
                    columns(jobs, [](const JobRow& job) {
                        return std::tuple_cat(store::column_values(job.head), store::column_values(job.progress));
                    })});
}

void PostgresJobTables::save_jobs(const std::vector<JobRow>& jobs) {
    tx_.run(Command{"SELECT holdfast.save_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
                    columns(jobs, [](const JobRow& job) {
                        return std::tuple_cat(std::tuple(job.head.id), store::column_values(job.progress));
                    })});
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
