#include "store/postgres/check.h"

#include <utility>

#include "base/text.h"
#include "store/jobs/job_check.h"
#include "store/jobs/job_rows.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

using store::CheckReport;
using store::CheckRule;

/// The rows that break a rule: an id (of a task or job, or NULL), what is wrong, and how many rows there are. A few
/// of them are enough, but all are counted. sqlite/check.cc has the same table.
struct CheckQuery {
    CheckRule rule;
    Sql offenders;
};
#define HOLDFAST_OFFENDERS(query) "SELECT id, wrong, count(*) OVER () FROM (" query ") AS x (id, wrong) LIMIT 10"
constexpr CheckQuery check_queries[] = {
    {CheckRule::TaskInOnePlace, HOLDFAST_OFFENDERS(R"sql(
        SELECT t.id, CASE WHEN coalesce(e.task_id, l.task_id, r.task_id, w.task_id) IS NULL THEN 'is in no place' ELSE
               concat('is in', CASE WHEN r.task_id IS NOT NULL THEN ' ready' END,
                      CASE WHEN w.task_id IS NOT NULL THEN ' waiting' END,
                      CASE WHEN l.task_id IS NOT NULL THEN ' lease' END,
                      CASE WHEN e.task_id IS NOT NULL THEN ' ending' END) END
        FROM holdfast.task t LEFT JOIN holdfast.ready r ON r.task_id = t.id
          LEFT JOIN holdfast.waiting w ON w.task_id = t.id LEFT JOIN holdfast.lease l ON l.task_id = t.id
          LEFT JOIN holdfast.ending e ON e.task_id = t.id
        WHERE num_nonnulls(r.task_id, w.task_id, l.task_id, e.task_id) <> 1)sql")},
    {CheckRule::PlaceHasTask, HOLDFAST_OFFENDERS(R"sql(
        SELECT p.task_id, 'is in ' || p.place FROM (
          SELECT task_id, 'ready' FROM holdfast.ready UNION ALL
          SELECT task_id, 'waiting' FROM holdfast.waiting UNION ALL
          SELECT task_id, 'lease' FROM holdfast.lease UNION ALL
          SELECT task_id, 'ending' FROM holdfast.ending) AS p (task_id, place)
        WHERE NOT EXISTS (SELECT FROM holdfast.task t WHERE t.id = p.task_id))sql")},
    {CheckRule::References, HOLDFAST_OFFENDERS(R"sql(
        SELECT t.id, 'its route is missing' FROM holdfast.task t
          WHERE NOT EXISTS (SELECT FROM holdfast.route r WHERE r.id = t.route_id) UNION ALL
        SELECT DISTINCT a.task_id, 'has attempts, but is not there' FROM holdfast.attempt a
          WHERE NOT EXISTS (SELECT FROM holdfast.task t WHERE t.id = a.task_id) UNION ALL
        SELECT p.task_id, 'has progress, but is not there' FROM holdfast.progress p
          WHERE NOT EXISTS (SELECT FROM holdfast.task t WHERE t.id = p.task_id) UNION ALL
        SELECT DISTINCT g.task_id, 'has output, but is not there' FROM holdfast.log g
          WHERE NOT EXISTS (SELECT FROM holdfast.task t WHERE t.id = g.task_id) UNION ALL
        SELECT j.id, 'its definition is missing' FROM holdfast.job j
          WHERE NOT EXISTS (SELECT FROM holdfast.workflow_definition d WHERE d.id = j.definition_id) UNION ALL
        SELECT j.id, 'the row of its progress is missing' FROM holdfast.job j
          WHERE NOT EXISTS (SELECT FROM holdfast.job_progress p WHERE p.job_id = j.id) UNION ALL
        SELECT p.job_id, 'has progress, but is not there' FROM holdfast.job_progress p
          WHERE NOT EXISTS (SELECT FROM holdfast.job j WHERE j.id = p.job_id) UNION ALL
        SELECT DISTINCT s.job_id, 'has steps, but is not there' FROM holdfast.step s
          WHERE NOT EXISTS (SELECT FROM holdfast.job j WHERE j.id = s.job_id) UNION ALL
        SELECT s.job_id, 'the task of step ' || s.step || ' is missing' FROM holdfast.step s
          WHERE s.task_id IS NOT NULL AND s.state IN ('WAITING', 'READY', 'RUNNING')
            AND NOT EXISTS (SELECT FROM holdfast.task t WHERE t.id = s.task_id) UNION ALL
        SELECT s.job_id, 'the child job of step ' || s.step || ' is missing' FROM holdfast.step s
          WHERE s.child_id IS NOT NULL AND s.state IN ('WAITING', 'READY', 'RUNNING')
            AND NOT EXISTS (SELECT FROM holdfast.job j WHERE j.id = s.child_id))sql")},
    {CheckRule::LeaseHasWorker, HOLDFAST_OFFENDERS(R"sql(
        SELECT task_id, 'lease ' || lease || ' names no worker' FROM holdfast.lease
        WHERE worker_id = '00000000-0000-0000-0000-000000000000')sql")},
    {CheckRule::LeaseBelowCounter, HOLDFAST_OFFENDERS(R"sql(
        SELECT l.task_id, 'lease ' || l.lease || ' in ' || l.place || ' is above ' || n.last FROM (
          SELECT task_id, lease, 'lease' FROM holdfast.lease UNION ALL
          SELECT task_id, lease, 'attempt' FROM holdfast.attempt UNION ALL
          SELECT task_id, lease, 'ending' FROM holdfast.ending UNION ALL
          SELECT task_id, last_lease, 'ready' FROM holdfast.ready UNION ALL
          SELECT task_id, last_lease, 'waiting' FROM holdfast.waiting UNION ALL
          SELECT NULL, last_lease, 'claim' FROM holdfast.claim) AS l (task_id, lease, place),
          (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last FROM holdfast.lease_number) n
        WHERE l.lease > n.last)sql")},
    {CheckRule::LeaseIsUnique, HOLDFAST_OFFENDERS(R"sql(
        SELECT (array_agg(task_id))[1], 'lease ' || lease || ' was given ' || count(*) || ' times' FROM (
          SELECT task_id, lease FROM holdfast.lease UNION ALL
          SELECT task_id, lease FROM holdfast.attempt UNION ALL
          SELECT task_id, lease FROM holdfast.ending WHERE lease IS NOT NULL) l
        GROUP BY lease HAVING count(*) > 1)sql")},
    {CheckRule::SlotOfLease, HOLDFAST_OFFENDERS(R"sql(
        SELECT s.task_id, 'has a slot of key ' || s.key || ' without a lease for it'
          FROM holdfast.slot s LEFT JOIN holdfast.lease l ON l.task_id = s.task_id
            LEFT JOIN holdfast.route r ON r.id = l.route_id
          WHERE l.concurrency_key IS DISTINCT FROM s.key OR r.queue IS DISTINCT FROM s.queue UNION ALL
        SELECT l.task_id, 'has a lease, but no slot of its key ' || l.concurrency_key FROM holdfast.lease l
          WHERE l.concurrency_key IS NOT NULL
            AND NOT EXISTS (SELECT FROM holdfast.slot s WHERE s.task_id = l.task_id))sql")},
    // A limit that was lowered does not end the runs that there are: then one of these came after the last claim.
    {CheckRule::KeyWithinLimit, HOLDFAST_OFFENDERS(R"sql(
        SELECT NULL::uuid, 'key ' || key || ' has ' || held || ' tasks; its limit is ' || max_slots FROM (
          SELECT c.key, c.queue, c.max_slots, count(*) AS held, max(l.claimed_at) AS last_claim
          FROM holdfast.concurrency c JOIN holdfast.slot s ON s.key = c.key AND (c.queue = '' OR s.queue = c.queue)
            JOIN holdfast.lease l ON l.task_id = s.task_id
          WHERE c.queue = ''
             OR NOT EXISTS (SELECT FROM holdfast.concurrency o WHERE o.key = c.key AND o.queue = '')
          GROUP BY c.key, c.queue, c.max_slots HAVING count(*) > c.max_slots) k
        WHERE NOT EXISTS (SELECT FROM holdfast.event e
                          WHERE e.at >= k.last_claim AND e.kind IN ('key_declared', 'key_removed'))
          AND NOT EXISTS (SELECT FROM holdfast.task t JOIN holdfast.route r ON r.id = t.route_id
            WHERE t.concurrency_key = k.key AND (k.queue = '' OR r.queue = k.queue)
              AND t.concurrency_limit <= k.max_slots AND t.created_at >= k.last_claim))sql")},
    {CheckRule::EndingIsComplete, HOLDFAST_OFFENDERS(R"sql(
        SELECT task_id, CASE WHEN state = 'COMPLETED' AND result IS NULL THEN 'is COMPLETED without a result'
               WHEN state <> 'COMPLETED' AND error_code IS NULL THEN 'is ' || state || ' without an error'
               ELSE 'is ' || state || ' without its last run' END
        FROM holdfast.ending
        WHERE CASE WHEN state = 'COMPLETED' THEN result IS NULL OR started_at IS NULL ELSE error_code IS NULL END
           OR (started_at IS NOT NULL AND num_nulls(lease, worker_id, claimed_at, run_end, attempt) > 0))sql")},
    // The steps of hooks begin when their job has ended.
    {CheckRule::JobEndsWithSteps, HOLDFAST_OFFENDERS(R"sql(
        SELECT job_id, 'is ' || state || ', but lacks its end, its error or the end of a step'
          FROM holdfast.job_progress p WHERE state IN ('COMPLETED', 'FAILED', 'CANCELLED')
            AND (finished_at IS NULL OR deadline IS NOT NULL OR open_steps <> 0
                 OR (state <> 'COMPLETED' AND error_code IS NULL)
                 OR EXISTS (SELECT FROM holdfast.step s
                      WHERE s.job_id = p.job_id AND s.state IN ('WAITING', 'READY', 'RUNNING')
                        AND (s.ready_at IS NULL OR s.ready_at < p.finished_at))) UNION ALL
        SELECT job_id, 'is ' || state || ', but has an end' FROM holdfast.job_progress
          WHERE state IN ('PENDING', 'RUNNING', 'PAUSED') AND finished_at IS NOT NULL)sql")},
    {CheckRule::StepFollowsTask, HOLDFAST_OFFENDERS(R"sql(
        SELECT s.job_id, 'step ' || s.step || ' is ' || s.state || ', its task is ' || e.state
          FROM holdfast.step s JOIN holdfast.ending e ON e.task_id = s.task_id
          WHERE s.state IN ('WAITING', 'READY', 'RUNNING') UNION ALL
        SELECT s.job_id, 'step ' || s.step || ' is ' || s.state || ', its child job is ' || p.state
          FROM holdfast.step s JOIN holdfast.job_progress p ON p.job_id = s.child_id
          WHERE s.state IN ('WAITING', 'READY', 'RUNNING') AND p.state IN ('COMPLETED', 'FAILED', 'CANCELLED'))sql")},
};
#undef HOLDFAST_OFFENDERS

Rows ask(Connection& connection, Sql sql, Params params = {}) {
    return std::move(connection.run(std::vector<Command>{{sql, std::move(params)}}).front());
}

class PostgresOpenJobs final : public store::OpenJobs {
public:
    explicit PostgresOpenJobs(Connection& connection) : connection_(connection) {}

    std::vector<store::JobRow> after(const Uuid& job, std::size_t limit) override {
        return ask(connection_,
                   "SELECT " HOLDFAST_JOB_COLUMNS
                   " FROM holdfast.job JOIN holdfast.job_progress ON job_id = id"
                   " WHERE id > $1 AND state IN ('PENDING', 'RUNNING', 'PAUSED') ORDER BY id LIMIT $2",
                   Params(job, limit))
            .all(store::read_as<store::JobRow>);
    }
    std::vector<store::StepRow> steps_of(const std::vector<Uuid>& jobs) override {
        return ask(connection_, "SELECT " HOLDFAST_STEP_COLUMNS " FROM holdfast.step WHERE job_id = ANY ($1)",
                   Params(jobs))
            .all(store::read_as<store::StepRow>);
    }
    std::string definition_text(const Uuid& definition) override {
        return ask(connection_, "SELECT text FROM holdfast.workflow_definition WHERE id = $1", Params(definition))
            .first(store::read_as<std::string>)
            .value_or("");
    }

private:
    Connection& connection_;
};

/// Damage shows as an internal error, or as a file that cannot be read.
bool tells_of_damage(const Refusal& refusal) {
    return refusal.state.starts_with("XX") || refusal.state.starts_with("58");
}

/// A page that cannot be read makes a query fail: this is a finding, and the other rules go on.
template <typename Check>
void noting_damage(Connection& connection, CheckReport& report, const Check& check) {
    ask(connection, "SAVEPOINT check_rule");
    try {
        check();
    } catch (const Refusal& refusal) {
        if (!connection.is_open() || !tells_of_damage(refusal)) throw;
        report.add(CheckRule::Pages, concat(refusal.what(), " (SQLSTATE ", refusal.state, ")"));
    }
    ask(connection, "ROLLBACK TO check_rule");
    ask(connection, "RELEASE check_rule");
}

void check_query(Connection& connection, const CheckQuery& rule, CheckReport& report) {
    const Rows found = ask(connection, rule.offenders);
    std::int64_t counted = found.empty() ? 0 : found[0].integer(2) - found.size() + 1;
    for (const Row row : found) {
        const std::string id = row.is_null(0) ? "" : row.uuid(0).to_string();
        report.add(rule.rule, store::offender_text(id, row.text(1)), std::exchange(counted, 1));
    }
}

/// The text of every row: this reads the parts of long values, too, which are stored elsewhere.
void read_table(Connection& connection, const std::string& table) {
    connection.run_script(concat("SELECT count(t::text) FROM ", table, " AS t"));
}

/// The extension amcheck finds more, where an administrator has installed it.
void check_indexes(Connection& connection, CheckReport& report) {
    const bool may = ask(connection,
                         R"sql(SELECT coalesce(has_function_privilege(
                                   to_regprocedure('bt_index_check(regclass)'), 'EXECUTE'), false))sql")[0]
                         .boolean(0);
    if (!may) return;
    const auto indexes =
        ask(connection,
            R"sql(SELECT c.oid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                                       JOIN pg_am a ON a.oid = c.relam
                                     WHERE c.relnamespace = 'holdfast'::regnamespace AND a.amname = 'btree'
                                       AND i.indisvalid ORDER BY 1)sql")
            .all(store::read_as<std::string>);
    for (const std::string& index : indexes)
        noting_damage(connection, report,
                      [&] { connection.run_script(concat("SELECT bt_index_check('", index, "'::regclass)")); });
}

}  // namespace

void check_pages(Connection& connection, CheckReport& report) {
    const auto tables = ask(connection,
                            R"sql(SELECT c.oid::regclass::text FROM pg_class c
                                    WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind = 'r'
                                    ORDER BY 1)sql")
                            .all(store::read_as<std::string>);
    for (const std::string& table : tables) noting_damage(connection, report, [&] { read_table(connection, table); });
    check_indexes(connection, report);
}

CheckReport check_database(Connection& connection) {
    CheckReport report;
    check_pages(connection, report);
    for (const CheckQuery& rule : check_queries)
        noting_damage(connection, report, [&] { check_query(connection, rule, report); });
    noting_damage(connection, report, [&] {
        PostgresOpenJobs open(connection);
        store::check_open_jobs(open, report);
        report.tasks = ask(connection, "SELECT count(*) FROM holdfast.task")[0].integer(0);
        report.jobs = ask(connection, "SELECT count(*) FROM holdfast.job")[0].integer(0);
    });
    return report;
}

CheckReport PostgresStore::check() {
    Lane lane(connect_params(params_, "holdfast check", upkeep_patience), nullptr);
    return lane.with_connection([](Connection& connection) {
        ask(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        ask(connection, "SET LOCAL statement_timeout = 0");
        const CheckReport report = check_database(connection);
        ask(connection, "ROLLBACK");
        return report;
    });
}

}  // namespace holdfast::postgres
