#include <limits>

#include "store/admission.h"
#include "store/jobs/job_rows.h"
#include "store/list_guide.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

using store::JobRow;
using store::NewJob;
using store::SubmitOutcome;

/// Starting a job writes a row for each of its steps: a transaction takes fewer jobs than tasks.
constexpr std::size_t jobs_per_transaction = 50;

/// Batches in which no id occurs twice and all jobs are started by the same person.
std::vector<Batch> batches_of(const std::vector<NewJob>& jobs) {
    std::unordered_set<Uuid> ids;
    std::string_view who;
    const auto collides = [&](std::size_t index) {
        if (ids.empty()) who = jobs[index].who;
        return jobs[index].who != who || ids.size() == jobs_per_transaction || !ids.insert(jobs[index].id).second;
    };
    return split_batches(
        jobs.size(), [&] { ids.clear(); }, collides);
}

}  // namespace

std::vector<SubmitOutcome> PostgresStore::start_jobs(const std::vector<NewJob>& jobs) {
    for (const auto& job : jobs) store::check_remark(job.who);
    std::vector<SubmitOutcome> outcomes(jobs.size());
    for (const auto& batch : batches_of(jobs)) start_batch(jobs, batch, outcomes);
    return outcomes;
}

void PostgresStore::start_batch(const std::vector<NewJob>& jobs, const Batch& batch,
                                std::vector<SubmitOutcome>& outcomes) {
    transact([&](Transaction& tx) {
        tx.who = jobs[batch.front()].who;
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            for (const auto index : batch) outcomes[index] = orchestrator.start(jobs[index]);
            return true;
        });
    });
}

std::shared_ptr<const core::BundlePlan> PostgresStore::plan_of(const Uuid& definition) {
    if (auto plan = definitions_.find(definition)) return plan;
    const auto row = work_.read("SELECT text FROM holdfast.workflow_definition WHERE id = $1", definition);
    try {
        return row.empty() ? nullptr : definitions_.add(definition, row[0].string(0));
    } catch (const store::BadDefinition&) {
        return nullptr;
    }
}

const core::WorkflowPlan* PostgresStore::find_plan(const store::JobHead& job,
                                                   std::shared_ptr<const core::BundlePlan>& bundle) {
    bundle = plan_of(job.definition);
    return bundle ? bundle->find(job.workflow) : nullptr;
}

std::string PostgresStore::step_name(const store::JobHead& job, int step, int item) {
    std::shared_ptr<const core::BundlePlan> bundle;
    return store::step_name(find_plan(job, bundle), step, item);
}

std::vector<JobRow> PostgresStore::read_jobs(const std::vector<Uuid>& ids) {
    if (ids.empty()) return {};
    return work_.all("SELECT " HOLDFAST_JOB_COLUMNS " FROM holdfast.load_jobs($1)", store::read_as<JobRow>, ids);
}

std::unordered_map<Uuid, JobInfo> PostgresStore::read_infos(const std::vector<Uuid>& ids) {
    const auto jobs = read_jobs(ids);
    std::unordered_map<Uuid, JobInfo> infos;
    std::vector<Uuid> parents;
    for (const auto& job : jobs) {
        infos.emplace(job.head.id, store::job_info(job));
        if (job.head.parent) parents.push_back(job.head.parent->job);
    }
    read_step_counts(jobs, infos);
    std::unordered_map<Uuid, store::JobHead> heads;
    for (const auto& parent : read_jobs(parents)) heads[parent.head.id] = parent.head;
    for (const auto& job : jobs)
        if (const auto& parent = job.head.parent)
            infos[job.head.id].parent_step = step_name(heads[parent->job], parent->step, parent->item);
    return infos;
}

/// Leaves out the hooks, which stand behind the steps.
void PostgresStore::read_step_counts(const std::vector<JobRow>& jobs, std::unordered_map<Uuid, JobInfo>& infos) {
    if (jobs.empty()) return;
    const auto values_of = [&](const JobRow& job) {
        std::shared_ptr<const core::BundlePlan> bundle;
        const auto* const plan = find_plan(job.head, bundle);
        if (bundle) infos[job.head.id].queues = bundle->queues;
        return std::tuple(job.head.id, static_cast<int>(plan ? plan->step_count : core::max_workflow_steps));
    };
    const auto answers = work_.run(
        {{"SELECT job_id, state, steps FROM holdfast.step_counts($1, $2)", columns(jobs, values_of)}}, Effect::Reads);
    for (const Row row : answers.front())
        store::add_to(infos[row.uuid(0)].steps, store::read_word<StepState>(row.text(1)),
                      static_cast<int>(row.integer(2)));
}

std::vector<std::optional<JobInfo>> PostgresStore::find_jobs(const std::vector<Uuid>& ids) {
    const auto infos = read_infos(ids);
    std::vector<std::optional<JobInfo>> found(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (const auto info = infos.find(ids[i]); info != infos.end()) found[i] = info->second;
    return found;
}

std::vector<JobInfo> PostgresStore::list_jobs(const JobQuery& query, const store::Queues& queues) {
    const auto range = store::id_range("", query.after);
    if (!range) return {};
    std::vector<std::string> states;
    for (const auto state : query.states) states.emplace_back(to_text(state));
    const auto limit = static_cast<int>(query.limit);
    const auto ids = queues.empty() ? work_.all("SELECT holdfast.list_jobs($1, $2, $3, $4, $5, $6, $7)",
                                                store::read_id, states, query.workflow, query.parent,
                                                query.with_children, range->lowest, range->highest, limit)
                                    : work_.all("SELECT holdfast.list_jobs_of($1, $2, $3, $4, $5, $6, $7, $8)",
                                                store::read_id, queues, states, query.workflow, query.parent,
                                                query.with_children, range->lowest, range->highest, limit);
    auto infos = read_infos(ids);
    std::vector<JobInfo> page;
    for (const auto& id : ids)
        if (auto info = infos.extract(id)) page.push_back(std::move(info.mapped()));
    return page;
}

std::vector<Uuid> PostgresStore::jobs_with_prefix(const std::string& prefix, std::size_t limit,
                                                  const store::Queues& queues) {
    const auto range = store::id_range(prefix, std::nullopt);
    if (!range) return {};
    return work_.all(
        R"sql(SELECT id FROM holdfast.job WHERE id BETWEEN $1 AND $2
                AND (cardinality($4::text[]) = 0 OR definition_id = ANY (holdfast.definitions_of($4)))
              ORDER BY id LIMIT $3)sql",
        store::read_id, range->lowest, range->highest, limit, queues);
}

std::vector<StepInfo> PostgresStore::steps(const store::StepsParams& params) {
    const auto jobs = read_jobs({params.job});
    if (jobs.empty()) return {};
    std::shared_ptr<const core::BundlePlan> bundle;
    const auto* const plan = find_plan(jobs.front().head, bundle);
    int first = 0, last = std::numeric_limits<int>::max();
    if (params.step) {
        const auto number = plan != nullptr ? plan->find_step(*params.step) : std::nullopt;
        if (!number) return {};
        first = last = *number;
    }
    const auto rows = work_.read(
        R"sql(SELECT $1, step, item, state, task_id, child_id, ready_at, finished_at, wakes_at, value, output,
                error_code, error_message, error_data, task_result, task_error_code, task_error_message,
                task_error_data, child_output, child_started_at, task_started_at, ended_runs, task_runs,
                fraction, progress_text, saved_at
              FROM holdfast.read_steps($1, $2, $3))sql",
        params.job, first, last);
    return store::step_infos(rows.all(store::read_as<store::ReadStep>), plan, params.with_items || params.step);
}

std::string PostgresStore::job_definition(const Uuid& job) {
    return work_
        .first(R"sql(SELECT d.text FROM holdfast.job j JOIN holdfast.workflow_definition d ON d.id = j.definition_id
                     WHERE j.id = $1)sql",
               store::read_as<std::string>, job)
        .value_or("");
}

std::optional<std::pair<Uuid, std::string>> PostgresStore::step_of_task(const Uuid& task) {
    const auto row = work_.read("SELECT job_id, step, item FROM holdfast.step WHERE task_id = $1", task);
    if (row.empty()) return std::nullopt;
    const auto job = row[0].uuid(0);
    const auto found = read_jobs({job});
    const auto head = found.empty() ? store::JobHead{} : found.front().head;
    return std::pair(job, step_name(head, row[0].small(1), row[0].small(2)));
}

}  // namespace holdfast::postgres
