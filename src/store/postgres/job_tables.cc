#include "store/postgres/job_tables.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "core/task/task_options.h"
#include "store/admission.h"
#include "store/jobs/job_rows.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"

namespace holdfast::postgres {

namespace {

using store::JobRow;
using store::StepKey;
using store::StepRow;

/// Those of the wanted that are known; leaves the others in `wanted`.
template <typename Rows, typename Key>
std::vector<typename Rows::mapped_type> take_known(const Rows& known, std::vector<Key>& wanted) {
    std::vector<typename Rows::mapped_type> found;
    std::erase_if(wanted, [&](const Key& key) {
        const auto row = known.find(key);
        if (row != known.end()) found.push_back(row->second);
        return row != known.end();
    });
    return found;
}

template <typename Row>
std::vector<Row> joined(std::vector<Row> rows, std::vector<Row> more) {
    std::ranges::move(more, std::back_inserter(rows));
    return rows;
}

/// Whether the short function takes it with all that it has. (Keys settle limits, for which there is the general
/// one.)
bool is_plain_step(const store::NewTask& task) {
    return !task.concurrency && !task.run_at && !task.deadline && task.idempotency_key.empty() &&
           task.retry_of.is_nil() && task.traceparent.empty();
}

/// Submits tasks that the database is expected to accept; otherwise the transaction is Overtaken.
Command expectant_submit(const std::vector<store::NewTask>& tasks, Batch batch, const std::vector<int>& routes) {
    if (!std::ranges::all_of(batch, [&](std::size_t index) { return is_plain_step(tasks[index]); }))
        return {R"sql(SELECT holdfast.refuse_step(status) FROM holdfast.submit_batch(
                        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
                      WHERE status NOT IN ('accepted', 'existing'))sql",
                submit_command(tasks, batch, routes, nullptr).params};
    std::ranges::sort(batch, {}, [&](std::size_t index) { return tasks[index].id; });  // the order of locks
    return {"SELECT holdfast.submit_steps($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            columns(batch, [&](std::size_t index) {
                const auto& task = tasks[index];
                const auto policy = core::encode_policy(task.policy);
                return std::tuple(task.id, task.name, task.args, store::unless_empty(task.spec), routes[index],
                                  task.priority, policy.empty() ? std::nullopt : std::optional(policy),
                                  task.policy.unmatched != Unmatched::Wait, by_name(task));
            })};
}

Params step_params(const std::vector<StepRow>& steps) {
    return columns(steps, [](const StepRow& step) { return store::column_values(step); });
}

}  // namespace

void lock_trees(Transaction& tx, const std::vector<Uuid>& jobs) {
    tx.run("SELECT holdfast.lock_trees($1)", jobs);
}

std::vector<Command> ahead_commands(const std::vector<Uuid>& tasks) {
    return {{"SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.steps_near($1)", Params(tasks)},
            {"SELECT holdfast.now(), " HOLDFAST_JOB_COLUMNS " FROM holdfast.jobs_of_tasks($1)", Params(tasks)}};
}

JobsAhead read_ahead(const std::vector<Uuid>& tasks, const std::vector<Rows>& answers, std::size_t first) {
    JobsAhead ahead;
    for (const auto& task : tasks) ahead.tasks[task];
    for (auto& step : answers[first].all(store::read_as<StepRow>)) {
        if (const auto own = ahead.tasks.find(step.task); own != ahead.tasks.end()) own->second = step.key;
        ahead.steps.emplace(step.key, std::move(step));
    }
    for (const Row row : answers[first + 1]) {
        JobRow job;
        store::ColumnReader(row).read(ahead.now, job);
        ahead.jobs.emplace(job.head.id, std::move(job));
    }
    return ahead;
}

void look_ahead(Transaction& tx, const std::vector<Uuid>& tasks) {
    const auto answers = tx.run(ahead_commands(tasks));
    auto ends = std::move(tx.ahead.ends);
    tx.ahead = read_ahead(tasks, answers, 0);
    tx.ahead.ends = std::move(ends);
}

Timestamp PostgresJobTables::now() {
    return ahead_.now ? *ahead_.now : tx_.run("SELECT holdfast.now()")[0].time(0);
}

std::vector<JobRow> PostgresJobTables::load_jobs(const std::vector<Uuid>& jobs) {
    auto wanted = jobs;
    auto known = take_known(ahead_.jobs, wanted);
    if (wanted.empty()) return known;
    return joined(std::move(known), tx_.all("SELECT " HOLDFAST_JOB_COLUMNS " FROM holdfast.load_jobs($1)",
                                            store::read_as<JobRow>, wanted));
}

std::vector<StepRow> PostgresJobTables::load_steps(const std::vector<StepKey>& steps) {
    auto wanted = steps;
    auto known = take_known(ahead_.steps, wanted);
    if (wanted.empty()) return known;
    return joined(std::move(known),
                  tx_.run(Command{"SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.load_steps($1, $2, $3)",
                                  columns(wanted, [](const StepKey& key) { return store::column_values(key); })})
                      .all(store::read_as<StepRow>));
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
    if (std::ranges::all_of(tasks, [&](const Uuid& task) { return ahead_.tasks.contains(task); })) {
        std::vector<StepRow> steps;
        for (const auto& task : tasks)
            if (const auto& step = ahead_.tasks[task]) steps.push_back(ahead_.steps.at(*step));
        return steps;
    }
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
    auto wanted = tasks;
    auto known = take_known(ahead_.ends, wanted);
    if (wanted.empty()) return known;
    return joined(
        std::move(known),
        tx_.all("SELECT task_id, state, result, error_code, error_message, error_data FROM holdfast.task_ends($1)",
                store::read_as<TaskEnd>, wanted));
}

std::vector<Uuid> PostgresJobTables::existing_tasks(const std::vector<Uuid>& tasks) {
    return tx_.all("SELECT holdfast.existing_tasks($1)", store::read_id, tasks);
}

bool PostgresJobTables::is_pruned_up_to(const Uuid& id) {
    return tx_.run("SELECT highest >= $1 FROM holdfast.pruned WHERE id = 1", id)[0].boolean(0);
}

void PostgresJobTables::insert_definition(const Uuid& definition, const std::string& text,
                                          const std::vector<std::string>& queues) {
    tx_.later({"SELECT holdfast.insert_definition($1, $2, $3)", Params(definition, text, queues)});
}

void PostgresJobTables::insert_jobs(const std::vector<JobRow>& jobs) {
    tx_.later({R"sql(SELECT holdfast.insert_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                     $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25))sql",
               columns(jobs, [](const JobRow& job) {
                   return std::tuple_cat(store::column_values(job.head), store::column_values(job.progress));
               })});
}

void PostgresJobTables::save_jobs(const std::vector<JobRow>& jobs) {
    ahead_.jobs.clear();
    tx_.later({"SELECT holdfast.save_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
               columns(jobs, [](const JobRow& job) {
                   return std::tuple_cat(std::tuple(job.head.id), store::column_values(job.progress));
               })});
}

void PostgresJobTables::insert_steps(const std::vector<StepRow>& steps) {
    tx_.later({R"sql(SELECT holdfast.insert_steps($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                     $15, $16, $17, $18, $19, $20))sql",
               step_params(steps)});
}

void PostgresJobTables::save_steps(const std::vector<StepRow>& steps) {
    ahead_.steps.clear();
    ahead_.tasks.clear();
    tx_.later({R"sql(SELECT holdfast.save_steps($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                     $15, $16, $17, $18, $19, $20))sql",
               step_params(steps)});
}

Batch PostgresJobTables::acceptable(const std::vector<store::NewTask>& tasks, std::vector<int>& routes,
                                    std::vector<store::SubmitOutcome>& outcomes) {
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
    return batch;
}

/// Their ids are made for them alone, so the database is expected to accept them all.
std::vector<store::SubmitOutcome> PostgresJobTables::submit_tasks(const std::vector<store::NewTask>& tasks) {
    std::vector<store::SubmitOutcome> outcomes;
    std::vector<int> routes(tasks.size());
    const auto batch = acceptable(tasks, routes, outcomes);
    if (batch.empty()) return outcomes;
    if (tx_.is_careful)
        read_outcomes(tx_.run(submit_command(tasks, batch, routes, nullptr)), tasks, batch, outcomes);
    else
        tx_.later(expectant_submit(tasks, batch, routes));
    return outcomes;
}

void PostgresJobTables::hold_tasks(const std::vector<Uuid>& jobs) {
    tx_.later({"SELECT holdfast.hold_tasks($1)", Params(jobs)});
}

void PostgresJobTables::release_tasks(const std::vector<Uuid>& jobs) {
    tx_.later({"SELECT holdfast.release_tasks($1)", Params(jobs)});
}

void PostgresJobTables::write_events(const std::vector<store::NewEvent>& events) {
    postgres::write_events(tx_, events);
}

}  // namespace holdfast::postgres
