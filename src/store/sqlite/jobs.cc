#include <limits>
#include <set>

#include "store/admission.h"
#include "store/jobs/job_rows.h"
#include "store/list_guide.h"
#include "store/sqlite/queues_sql.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

/// Starting a job writes a row for each of its steps: a transaction takes fewer jobs than tasks.
constexpr std::size_t jobs_per_transaction = 50;

/// Leaves out the hooks, which begin at `hooks_from`.
StepCounts count_steps(Database& db, const Uuid& job, std::size_t hooks_from) {
    StepCounts counts;
    auto rows = db.query(
        R"sql(SELECT CASE WHEN s.state = 'READY' AND s.task_id IS NOT NULL AND (
                EXISTS (SELECT 1 FROM lease x WHERE x.task_id = s.task_id
                        AND (x.started_at IS NOT NULL OR x.attempts + x.crashes > 0))
                OR EXISTS (SELECT 1 FROM ready x WHERE x.task_id = s.task_id AND x.attempts + x.crashes > 0)
                OR EXISTS (SELECT 1 FROM waiting x WHERE x.task_id = s.task_id AND x.attempts + x.crashes > 0))
               THEN 'RUNNING' ELSE s.state END, count(*)
              FROM step s WHERE s.job_id = ? AND s.step < ? AND s.item = -1 GROUP BY 1)sql",
        job, hooks_from);
    while (rows.step()) store::add_to(counts, store::read_word<StepState>(rows.text(0)), rows.small(1));
    return counts;
}

// Every source below yields ids of jobs in `state` or of all, newest first:
// ?1 ?2 the range of ids, ?3 a workflow or '', ?4 the parent or NULL, ?5 whether children count, ?6 limit, ?7 a
// state.
#define HOLDFAST_MATCHING " AND (?3 = '' OR j.workflow = ?3) AND (?4 IS NOT NULL OR ?5 OR j.parent_id IS NULL)"
constexpr Sql all_jobs = "SELECT j.id FROM job j WHERE j.id BETWEEN ?1 AND ?2" HOLDFAST_MATCHING
                         " AND ?7 IS ?7 ORDER BY j.id DESC LIMIT ?6";
constexpr Sql jobs_in_state =
    "SELECT j.id FROM job_progress p CROSS JOIN job j ON j.id = p.job_id"
    " WHERE p.state = ?7 AND p.job_id BETWEEN ?1 AND ?2" HOLDFAST_MATCHING " ORDER BY p.job_id DESC LIMIT ?6";
constexpr Sql children =
    "SELECT j.id FROM job j JOIN job_progress p ON p.job_id = j.id"
    " WHERE j.parent_id = ?4 AND j.id BETWEEN ?1 AND ?2" HOLDFAST_MATCHING
    " AND (?7 = '' OR p.state = ?7) ORDER BY j.id DESC LIMIT ?6";
// The same of one definition, ?8.
constexpr Sql jobs_of_definition =
    "SELECT j.id FROM job j INDEXED BY job_definition CROSS JOIN job_progress p ON p.job_id = j.id"
    " WHERE j.definition_id = ?8 AND j.id BETWEEN ?1 AND ?2" HOLDFAST_MATCHING
    " AND (?4 IS NULL OR j.parent_id = ?4) AND (?7 = '' OR p.state = ?7) ORDER BY j.id DESC LIMIT ?6";
#undef HOLDFAST_MATCHING

std::vector<Uuid> definitions_in(Database& db, const store::Queues& queues) {
    const auto names = store::encode_strings(queues);
    return db.all("SELECT w.id FROM workflow_definition w WHERE " HOLDFAST_DEFINITION_IN("w.id", "?1"),
                  store::read_id, names);
}

std::vector<Uuid> matching_jobs(Database& db, const JobQuery& query, const store::IdRange& range,
                                const store::Queues& queues) {
    std::set<Uuid, std::greater<>> ids;
    const auto read = [&](Sql source, std::string_view state, const auto&... definition) {
        auto rows = db.query(source, range.lowest, range.highest, query.workflow, query.parent, query.with_children,
                             query.limit, state, definition...);
        while (rows.step()) ids.insert(rows.uuid(0));
    };
    const auto definitions = queues.empty() ? std::vector<Uuid>() : definitions_in(db, queues);
    const auto read_all = [&](Sql source, std::string_view state) {
        if (queues.empty()) return read(source, state);
        for (const auto& definition : definitions) read(jobs_of_definition, state, definition);
    };
    if (query.states.empty()) read_all(query.parent ? children : all_jobs, "");
    for (const auto state : query.states) read_all(query.parent ? children : jobs_in_state, to_text(state));
    std::vector<Uuid> page(ids.begin(), ids.end());
    if (page.size() > query.limit) page.resize(query.limit);
    return page;
}

constexpr Sql steps_between =
    R"sql(SELECT s.job_id, s.step, s.item, s.state, s.task_id, s.child_id, s.ready_at, s.finished_at, s.wakes_at,
                 s.value, s.output, s.error_code, s.error_message, s.error_data,
                 e.result, e.error_code, e.error_message, e.error_data, c.output, c.started_at,
                 coalesce((SELECT min(a.started_at) FROM attempt a WHERE a.task_id = s.task_id), l.started_at,
                   e.started_at),
                 coalesce(e.attempts + e.crashes, l.attempts + l.crashes, r.attempts + r.crashes,
                   w.attempts + w.crashes, 0),
                 l.started_at IS NOT NULL, p.fraction, p.text, p.saved_at
          FROM step s LEFT JOIN ending e ON e.task_id = s.task_id LEFT JOIN lease l ON l.task_id = s.task_id
            LEFT JOIN ready r ON r.task_id = s.task_id LEFT JOIN waiting w ON w.task_id = s.task_id
            LEFT JOIN progress p ON p.task_id = s.task_id LEFT JOIN job_progress c ON c.job_id = s.child_id
          WHERE s.job_id = ? AND s.step BETWEEN ? AND ?
          ORDER BY s.step, s.item)sql";

std::vector<store::ReadStep> read_steps(Database& db, const Uuid& job, int first, int last) {
    return db.all(steps_between, store::read_as<store::ReadStep>, job, first, last);
}

}  // namespace

std::vector<store::SubmitOutcome> SqliteStore::start_jobs(const std::vector<store::NewJob>& jobs) {
    for (const auto& job : jobs) store::check_remark(job.who);
    std::vector<store::SubmitOutcome> outcomes;
    outcomes.reserve(jobs.size());
    while (outcomes.size() < jobs.size()) {
        const auto past = std::min(jobs.size(), outcomes.size() + jobs_per_transaction);
        write([&](Transaction& tx) {
            for (auto next = outcomes.size(); next < past; ++next) {
                tx.who = jobs[next].who;
                outcomes.push_back(orchestrate(
                    tx, [&](store::Orchestrator& orchestrator) { return orchestrator.start(jobs[next]); }));
            }
            return true;
        });
    }
    return outcomes;
}

std::shared_ptr<const core::BundlePlan> SqliteStore::plan_of(Database& db, const Uuid& definition) {
    if (auto plan = definitions_.find(definition)) return plan;
    auto row = db.query("SELECT text FROM workflow_definition WHERE id = ?", definition);
    try {
        return row.step() ? definitions_.add(definition, row.string(0)) : nullptr;
    } catch (const store::BadDefinition&) {
        return nullptr;
    }
}

const core::WorkflowPlan* SqliteStore::find_plan(Database& db, const Uuid& job,
                                                 std::shared_ptr<const core::BundlePlan>& bundle) {
    auto row = db.query("SELECT definition_id, workflow FROM job WHERE id = ?", job);
    if (!row.step()) return nullptr;
    bundle = plan_of(db, row.uuid(0));
    return bundle ? bundle->find(row.string(1)) : nullptr;
}

std::string SqliteStore::step_name(Database& db, const Uuid& job, int step, int item) {
    std::shared_ptr<const core::BundlePlan> bundle;
    return store::step_name(find_plan(db, job, bundle), step, item);
}

std::optional<JobInfo> SqliteStore::find_job(Database& db, const Uuid& id) {
    const auto row =
        db.first("SELECT " HOLDFAST_JOB_COLUMNS " FROM job JOIN job_progress ON job_id = id WHERE id = ?",
                 store::read_as<store::JobRow>, id);
    if (!row) return std::nullopt;
    auto job = store::job_info(*row);
    if (const auto& parent = row->head.parent)
        job.parent_step = step_name(db, parent->job, parent->step, parent->item);
    const auto bundle = plan_of(db, row->head.definition);
    const auto* const plan = bundle ? bundle->find(job.workflow) : nullptr;
    if (bundle) job.queues = bundle->queues;
    job.steps = count_steps(db, id, plan != nullptr ? plan->step_count : core::max_workflow_steps);
    return job;
}

std::vector<std::optional<JobInfo>> SqliteStore::find_jobs(const std::vector<Uuid>& ids) {
    if (ids.empty()) return {};
    return work_.read([&](Database& db) {
        std::vector<std::optional<JobInfo>> jobs;
        for (const auto& id : ids) jobs.push_back(find_job(db, id));
        return jobs;
    });
}

std::vector<JobInfo> SqliteStore::list_jobs(const JobQuery& query, const store::Queues& queues) {
    const auto range = store::id_range("", query.after);
    if (!range) return {};
    return work_.read([&](Database& db) {
        std::vector<JobInfo> jobs;
        for (const auto& id : matching_jobs(db, query, *range, queues))
            if (auto job = find_job(db, id)) jobs.push_back(std::move(*job));
        return jobs;
    });
}

std::vector<Uuid> SqliteStore::jobs_with_prefix(const std::string& prefix, std::size_t limit,
                                                const store::Queues& queues) {
    const auto range = store::id_range(prefix, std::nullopt);
    if (!range) return {};
    const auto names = store::encode_strings(queues);
    return work_.all(
        "SELECT id FROM job WHERE id BETWEEN ?1 AND ?2"
        " AND (?4 = '[]' OR " HOLDFAST_DEFINITION_IN("job.definition_id", "?4") ") ORDER BY id LIMIT ?3",
        store::read_id, range->lowest, range->highest, limit, names);
}

std::vector<StepInfo> SqliteStore::steps(const store::StepsParams& params) {
    return work_.read([&](Database& db) -> std::vector<StepInfo> {
        std::shared_ptr<const core::BundlePlan> bundle;
        const auto* const plan = find_plan(db, params.job, bundle);
        if (!params.step)
            return store::step_infos(read_steps(db, params.job, 0, std::numeric_limits<int>::max()), plan,
                                     params.with_items);
        const auto number = plan != nullptr ? plan->find_step(*params.step) : std::nullopt;
        if (!number) return {};
        return store::step_infos(read_steps(db, params.job, *number, *number), plan, true);
    });
}

std::string SqliteStore::job_definition(const Uuid& job) {
    return work_
        .first("SELECT d.text FROM job j JOIN workflow_definition d ON d.id = j.definition_id WHERE j.id = ?",
               store::read_as<std::string>, job)
        .value_or("");
}

std::optional<std::pair<Uuid, std::string>> SqliteStore::step_of_task(const Uuid& task) {
    return work_.read([&](Database& db) -> std::optional<std::pair<Uuid, std::string>> {
        auto row = db.query("SELECT job_id, step, item FROM step WHERE task_id = ?", task);
        if (!row.step()) return std::nullopt;
        return std::pair(row.uuid(0), step_name(db, row.uuid(0), row.small(1), row.small(2)));
    });
}

}  // namespace holdfast::sqlite
