#include "store/jobs/step_infos.h"
#include "store/rows.h"
#include "store/sqlite/queues_sql.h"
#include "store/sqlite/store_impl.h"
#include "store/stats_tally.h"

namespace holdfast::sqlite {

namespace {

using store::StatsTally;

std::string name_of(Database& db, const Uuid& task) {
    return db.first("SELECT name FROM task WHERE id = ?", store::read_as<std::string>, task).value_or("");
}

/// Names stand in another table: they are looked up for the newest tasks only.
void tally_endings(Database& db, StatsTally& tally) {
    std::size_t looked_at = 0;
    auto rows =
        db.query("SELECT task_id, state, finished_at, run_at, started_at FROM ending ORDER BY task_id DESC LIMIT ?",
                 store::most_looked_at);
    while (rows.step()) {
        ++looked_at;
        const bool counts = rows.time(2) >= tally.since() && looked_at <= store::most_names_looked_up;
        tally.add_ended(store::read_word<TaskState>(rows.text(1)), rows.time(2), rows.time(3), rows.optional_time(4),
                        counts ? name_of(db, rows.uuid(0)) : "");
        if (looked_at == store::most_looked_at) tally.cut_at(rows.uuid(0));
    }
}

/// The same of some queues, each route by itself, so that tasks of others are not looked at.
void tally_endings(Database& db, const std::string& queues, StatsTally& tally) {
    for (const std::int64_t route :
         db.all("SELECT id FROM route WHERE id IN " HOLDFAST_ROUTES_TO("?1"), store::read_as<std::int64_t>, queues)) {
        std::size_t looked_at = 0;
        auto rows = db.query(
            R"sql(SELECT e.task_id, e.state, e.finished_at, e.run_at, e.started_at, t.name
                  FROM task t INDEXED BY task_route CROSS JOIN ending e ON e.task_id = t.id
                  WHERE t.route_id = ? ORDER BY t.id DESC LIMIT ?)sql",
            route, store::most_looked_at);
        while (rows.step()) {
            tally.add_ended(store::read_word<TaskState>(rows.text(1)), rows.time(2), rows.time(3),
                            rows.optional_time(4), rows.text(5));
            if (++looked_at == store::most_looked_at) tally.cut_at(rows.uuid(0));
        }
    }
}

void tally_events(Database& db, const std::string& queues, StatsTally& tally) {
    std::size_t looked_at = 0;
    auto rows = db.query(
        "SELECT kind, at FROM event WHERE ?2 = '[]' OR " HOLDFAST_EVENT_IN("?2") " ORDER BY id DESC LIMIT ?1",
        store::most_looked_at, queues);
    while (rows.step() && rows.time(1) >= tally.since()) {
        tally.add_event(rows.text(0), rows.time(1));
        if (++looked_at == store::most_looked_at) tally.cut_at(rows.time(1));
    }
}

/// The task that could have been claimed for longest. Steps from priority to priority of each route, in the order of
/// claims, so the number of tasks does not matter. Tasks whose time has come count as in backlog().
void find_oldest(Database& db, Timestamp now, const std::string& queues, store::Vitals& vitals) {
    auto row = db.query(
        R"sql(WITH RECURSIVE open_route (id) AS (
                SELECT r.id FROM route r JOIN queue q ON q.name = r.queue
                WHERE q.paused = 0 AND (?2 = '[]' OR r.queue IN (SELECT value FROM json_each(?2)))),
              level (route_id, keyed, priority) AS (
                SELECT r.id, k.keyed,
                       (SELECT min(x.priority) FROM ready x WHERE x.route_id = r.id AND x.keyed = k.keyed)
                FROM open_route r CROSS JOIN (SELECT 0 AS keyed UNION ALL SELECT 1) k
                UNION ALL
                SELECT l.route_id, l.keyed,
                       (SELECT min(x.priority) FROM ready x
                        WHERE x.route_id = l.route_id AND x.keyed = l.keyed AND x.priority > l.priority)
                FROM level l WHERE l.priority IS NOT NULL),
              oldest (task_id) AS (
                SELECT (SELECT x.task_id FROM ready x
                        WHERE x.route_id = l.route_id AND x.keyed = l.keyed AND x.priority = l.priority
                        ORDER BY x.run_at, x.task_id LIMIT 1)
                FROM level l WHERE l.priority IS NOT NULL
                UNION ALL
                SELECT (SELECT w.task_id FROM waiting w
                        WHERE w.why = 'future' AND w.route_id = r.id AND w.run_at <= ?1
                        ORDER BY w.run_at LIMIT 1)
                FROM open_route r)
              SELECT o.task_id, coalesce(x.run_at, w.run_at) AS run_at
              FROM oldest o LEFT JOIN ready x ON x.task_id = o.task_id LEFT JOIN waiting w ON w.task_id = o.task_id
              WHERE o.task_id IS NOT NULL ORDER BY run_at, o.task_id LIMIT 1)sql",
        now, queues);
    if (!row.step()) return;
    vitals.oldest_task = row.uuid(0);
    vitals.oldest_waits = std::max(now - row.time(1), Duration::zero());
}

}  // namespace

store::JobCounts SqliteStore::count_jobs(const store::Queues& queues) {
    constexpr Sql of_all = "SELECT state, count(*) FROM job_progress GROUP BY state";
    constexpr Sql of_some =
        "SELECT p.state, count(*) FROM workflow_definition w CROSS JOIN job j ON j.definition_id = w.id"
        " CROSS JOIN job_progress p ON p.job_id = j.id"
        " WHERE " HOLDFAST_DEFINITION_IN("w.id", "?1") " GROUP BY p.state";
    const auto names = store::encode_strings(queues);
    return work_.read([&](Database& db) {
        store::JobCounts counts;
        auto rows = queues.empty() ? db.query(of_all) : db.query(of_some, names);
        while (rows.step()) store::add_to(counts, store::read_word<JobState>(rows.text(0)), rows.integer(1));
        return counts;
    });
}

store::Stats SqliteStore::stats(const store::StatsParams& params) {
    const auto queues = store::encode_strings(params.queues);
    return work_.read([&](Database& db) {
        StatsTally tally(params, clock_.now());
        params.queues.empty() ? tally_endings(db, tally) : tally_endings(db, queues, tally);
        tally_events(db, queues, tally);
        return std::move(tally).result();
    });
}

store::Vitals SqliteStore::vitals(const store::Queues& queues) {
    const auto names = store::encode_strings(queues);
    return work_.read([&](Database& db) {
        store::Vitals vitals;
        find_oldest(db, clock_.now(), names, vitals);
        vitals.approvals = count_approvals(db, queues);
        return vitals;
    });
}

store::EndedTasks SqliteStore::ended_tasks(Timestamp since, Timestamp until) {
    return work_.read([&](Database& db) {
        auto ended = db.query(
            R"sql(SELECT e.state, e.finished_at, e.run_at, e.started_at, t.name, r.queue
                  FROM (SELECT task_id, state, finished_at, run_at, started_at FROM ending
                        ORDER BY task_id DESC LIMIT ?3) e
                    CROSS JOIN task t ON t.id = e.task_id CROSS JOIN route r ON r.id = t.route_id
                  WHERE e.finished_at >= ?1 AND e.finished_at < ?2)sql",
            since, until, store::most_ended_looked_at);
        return store::EndedTasks{ended.all(store::read_as<store::EndedTask>),
                                 db.number("SELECT last FROM lease_number WHERE id = 1")};
    });
}

/// The kind of a step stands in its job's definition.
std::int64_t SqliteStore::count_approvals(Database& db, const store::Queues& queues) {
    std::int64_t approvals = 0;
    auto rows = db.query(
        R"sql(SELECT j.definition_id, j.workflow, s.step, s.item >= 0, count(*)
              FROM job_progress p CROSS JOIN job j ON j.id = p.job_id CROSS JOIN step s ON s.job_id = p.job_id
              WHERE p.state IN ('RUNNING', 'PAUSED') AND s.state = 'RUNNING' AND s.task_id IS NULL
                AND s.child_id IS NULL
              GROUP BY 1, 2, 3, 4)sql");
    while (rows.step()) {
        const auto bundle = plan_of(db, rows.uuid(0));
        if (!queues.empty() && (!bundle || !core::belongs_to(bundle->queues, queues))) continue;
        const auto* const plan = bundle ? bundle->find(rows.string(1)) : nullptr;
        if (store::is_approval(plan, rows.small(2), rows.integer(3) != 0)) approvals += rows.integer(4);
    }
    return approvals;
}

}  // namespace holdfast::sqlite
