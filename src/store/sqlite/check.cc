#include "store/sqlite/check.h"

#include "store/jobs/job_check.h"
#include "store/jobs/job_rows.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::CheckReport;
using store::CheckRule;

/// The rows that break a rule: an id (of a task or job, or NULL) and what is wrong. postgres/check.cc has the same
/// table.
struct CheckQuery {
    CheckRule rule;
    Sql offenders;
};
constexpr CheckQuery check_queries[] = {
    {CheckRule::TaskInOnePlace,
     R"sql(SELECT t.id, CASE WHEN coalesce(e.task_id, l.task_id, r.task_id, w.task_id) IS NULL THEN 'is in no place'
                  ELSE 'is in' || iif(r.task_id IS NULL, '', ' ready') || iif(w.task_id IS NULL, '', ' waiting')
                          || iif(l.task_id IS NULL, '', ' lease') || iif(e.task_id IS NULL, '', ' ending') END
           FROM task t LEFT JOIN ready r ON r.task_id = t.id LEFT JOIN waiting w ON w.task_id = t.id
             LEFT JOIN lease l ON l.task_id = t.id LEFT JOIN ending e ON e.task_id = t.id
           WHERE (r.task_id IS NOT NULL) + (w.task_id IS NOT NULL) + (l.task_id IS NOT NULL)
                 + (e.task_id IS NOT NULL) <> 1)sql"},
    {CheckRule::PlaceHasTask,
     R"sql(SELECT task_id, 'is in ready' FROM ready WHERE task_id NOT IN (SELECT id FROM task) UNION ALL
           SELECT task_id, 'is in waiting' FROM waiting WHERE task_id NOT IN (SELECT id FROM task) UNION ALL
           SELECT task_id, 'is in lease' FROM lease WHERE task_id NOT IN (SELECT id FROM task) UNION ALL
           SELECT task_id, 'is in ending' FROM ending WHERE task_id NOT IN (SELECT id FROM task))sql"},
    {CheckRule::References,
     R"sql(SELECT id, 'its route is missing' FROM task WHERE route_id NOT IN (SELECT id FROM route) UNION ALL
           SELECT DISTINCT task_id, 'has attempts, but is not there' FROM attempt
             WHERE task_id NOT IN (SELECT id FROM task) UNION ALL
           SELECT task_id, 'has progress, but is not there' FROM progress
             WHERE task_id NOT IN (SELECT id FROM task) UNION ALL
           SELECT DISTINCT task_id, 'has output, but is not there' FROM log
             WHERE task_id NOT IN (SELECT id FROM task) UNION ALL
           SELECT id, 'its definition is missing' FROM job
             WHERE definition_id NOT IN (SELECT id FROM workflow_definition) UNION ALL
           SELECT id, 'the row of its progress is missing' FROM job
             WHERE id NOT IN (SELECT job_id FROM job_progress) UNION ALL
           SELECT job_id, 'has progress, but is not there' FROM job_progress
             WHERE job_id NOT IN (SELECT id FROM job) UNION ALL
           SELECT DISTINCT job_id, 'has steps, but is not there' FROM step
             WHERE job_id NOT IN (SELECT id FROM job) UNION ALL
           SELECT job_id, 'the task of step ' || step || ' is missing' FROM step
             WHERE task_id NOT IN (SELECT id FROM task) AND state IN ('WAITING', 'READY', 'RUNNING') UNION ALL
           SELECT job_id, 'the child job of step ' || step || ' is missing' FROM step
             WHERE child_id NOT IN (SELECT id FROM job) AND state IN ('WAITING', 'READY', 'RUNNING'))sql"},
    {CheckRule::LeaseHasWorker,
     R"sql(SELECT task_id, 'lease ' || lease || ' names no worker' FROM lease
           WHERE length(worker_id) <> 16 OR worker_id = zeroblob(16))sql"},
    {CheckRule::LeaseBelowCounter,
     R"sql(SELECT task_id, 'lease ' || lease || ' in ' || place || ' is above ' || last FROM (
             SELECT task_id, lease, 'lease' AS place FROM lease UNION ALL
             SELECT task_id, lease, 'attempt' FROM attempt UNION ALL
             SELECT task_id, lease, 'ending' FROM ending UNION ALL
             SELECT task_id, last_lease, 'ready' FROM ready UNION ALL
             SELECT task_id, last_lease, 'waiting' FROM waiting UNION ALL
             SELECT NULL, last_lease, 'claim' FROM claim), lease_number
           WHERE lease > last)sql"},
    {CheckRule::LeaseIsUnique,
     R"sql(SELECT min(task_id), 'lease ' || lease || ' was given ' || count(*) || ' times' FROM (
             SELECT task_id, lease FROM lease UNION ALL
             SELECT task_id, lease FROM attempt UNION ALL
             SELECT task_id, lease FROM ending WHERE lease IS NOT NULL)
           GROUP BY lease HAVING count(*) > 1)sql"},
    {CheckRule::SlotOfLease,
     R"sql(SELECT s.task_id, 'has a slot of key ' || s.key || ' without a lease for it'
             FROM slot s LEFT JOIN lease l ON l.task_id = s.task_id LEFT JOIN route r ON r.id = l.route_id
             WHERE l.concurrency_key IS NOT s.key OR r.queue IS NOT s.queue UNION ALL
           SELECT l.task_id, 'has a lease, but no slot of its key ' || l.concurrency_key FROM lease l
             WHERE l.concurrency_key IS NOT NULL AND l.task_id NOT IN (SELECT task_id FROM slot))sql"},
    // A limit that was lowered does not end the runs that there are: then one of these came after the last claim.
    {CheckRule::KeyWithinLimit,
     R"sql(SELECT NULL, 'key ' || key || ' has ' || held || ' tasks; its limit is ' || max_slots FROM (
             SELECT c.key, c.queue, c.max_slots, count(*) AS held, max(l.claimed_at) AS last_claim
             FROM concurrency c JOIN slot s ON s.key = c.key AND (c.queue = '' OR s.queue = c.queue)
               JOIN lease l ON l.task_id = s.task_id
             WHERE c.queue = '' OR NOT EXISTS (SELECT 1 FROM concurrency o WHERE o.key = c.key AND o.queue = '')
             GROUP BY c.key, c.queue HAVING count(*) > c.max_slots) k
           WHERE NOT EXISTS (SELECT 1 FROM event e
                             WHERE e.at >= k.last_claim AND e.kind IN ('key_declared', 'key_removed'))
             AND NOT EXISTS (SELECT 1 FROM task t JOIN route r ON r.id = t.route_id
               WHERE t.concurrency_key = k.key AND (k.queue = '' OR r.queue = k.queue)
                 AND t.concurrency_limit <= k.max_slots AND t.created_at >= k.last_claim))sql"},
    {CheckRule::EndingIsComplete,
     R"sql(SELECT task_id, CASE WHEN state = 'COMPLETED' AND result IS NULL THEN 'is COMPLETED without a result'
                  WHEN state <> 'COMPLETED' AND error_code IS NULL THEN 'is ' || state || ' without an error'
                  ELSE 'is ' || state || ' without its last run' END
           FROM ending
           WHERE CASE WHEN state = 'COMPLETED' THEN result IS NULL OR started_at IS NULL ELSE error_code IS NULL END
              OR (started_at IS NOT NULL
                  AND (lease IS NULL OR worker_id IS NULL OR claimed_at IS NULL OR run_end IS NULL
                       OR attempt IS NULL)))sql"},
    // The steps of hooks begin when their job has ended.
    {CheckRule::JobEndsWithSteps,
     R"sql(SELECT job_id, 'is ' || state || ', but lacks its end, its error or the end of a step' FROM job_progress p
             WHERE state IN ('COMPLETED', 'FAILED', 'CANCELLED')
               AND (finished_at IS NULL OR deadline IS NOT NULL OR open_steps <> 0
                    OR (state <> 'COMPLETED' AND error_code IS NULL)
                    OR EXISTS (SELECT 1 FROM step s
                         WHERE s.job_id = p.job_id AND s.state IN ('WAITING', 'READY', 'RUNNING')
                           AND (s.ready_at IS NULL OR s.ready_at < p.finished_at))) UNION ALL
           SELECT job_id, 'is ' || state || ', but has an end' FROM job_progress
             WHERE state IN ('PENDING', 'RUNNING', 'PAUSED') AND finished_at IS NOT NULL)sql"},
    {CheckRule::StepFollowsTask,
     R"sql(SELECT s.job_id, 'step ' || s.step || ' is ' || s.state || ', its task is ' || e.state
             FROM step s JOIN ending e ON e.task_id = s.task_id
             WHERE s.state IN ('WAITING', 'READY', 'RUNNING') UNION ALL
           SELECT s.job_id, 'step ' || s.step || ' is ' || s.state || ', its child job is ' || p.state
             FROM step s JOIN job_progress p ON p.job_id = s.child_id
             WHERE s.state IN ('WAITING', 'READY', 'RUNNING')
               AND p.state IN ('COMPLETED', 'FAILED', 'CANCELLED'))sql"},
};

class SqliteOpenJobs final : public store::OpenJobs {
public:
    explicit SqliteOpenJobs(Database& db) : db_(db) {}

    std::vector<store::JobRow> after(const Uuid& job, std::size_t limit) override {
        return db_.all(
            "SELECT " HOLDFAST_JOB_COLUMNS
            " FROM job JOIN job_progress ON job_id = id"
            " WHERE id > coalesce(?, x'') AND state IN ('PENDING', 'RUNNING', 'PAUSED') ORDER BY id LIMIT ?",
            store::read_as<store::JobRow>, job, limit);
    }
    std::vector<store::StepRow> steps_of(const std::vector<Uuid>& jobs) override {
        std::vector<store::StepRow> all;
        for (const Uuid& job : jobs)
            for (auto& step : db_.all("SELECT " HOLDFAST_STEP_COLUMNS " FROM step WHERE job_id = ?",
                                      store::read_as<store::StepRow>, job))
                all.push_back(std::move(step));
        return all;
    }
    std::string definition_text(const Uuid& definition) override {
        return db_.first("SELECT text FROM workflow_definition WHERE id = ?", store::read_as<std::string>, definition)
            .value_or("");
    }

private:
    Database& db_;
};

void check_query(Database& db, const CheckQuery& query, CheckReport& report) {
    for (auto row = db.query(query.offenders); row.step();) {
        const Uuid id = row.uuid(0);
        report.add(query.rule, store::offender_text(id.is_nil() ? "" : id.to_string(), row.text(1)));
    }
}

/// A page that cannot be read makes a query fail: this is a finding, and the other rules go on.
template <typename Check>
void noting_damage(CheckReport& report, const Check& check) {
    try {
        check();
    } catch (const store::Unusable& damage) {
        report.add(CheckRule::Pages, damage.what());
    }
}

}  // namespace

void check_pages(Database& db, CheckReport& report) {
    noting_damage(report, [&] {
        for (auto row = db.query("PRAGMA integrity_check(1000)"); row.step();)
            if (row.text(0) != "ok") report.add(CheckRule::Pages, row.string(0));
    });
}

CheckReport check_database(Database& db) {
    CheckReport report;
    db.run("BEGIN");
    check_pages(db, report);
    for (const CheckQuery& query : check_queries) noting_damage(report, [&] { check_query(db, query, report); });
    noting_damage(report, [&] {
        SqliteOpenJobs open(db);
        store::check_open_jobs(open, report);
        report.tasks = db.number("SELECT count(*) FROM task");
        report.jobs = db.number("SELECT count(*) FROM job");
    });
    db.roll_back();
    return report;
}

CheckReport SqliteStore::check() {
    Database db(path_, Database::Mode::ReadWrite);
    return check_database(db);
}

}  // namespace holdfast::sqlite
