#include <set>

#include "store/list_guide.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/queues_sql.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::TaskRecord;

std::optional<TaskRecord> find_one(Database& db, const Uuid& id) {
    return db.first(R"sql(SELECT t.id, t.name, t.args, t.spec, t.priority,
                                 coalesce(e.run_at, l.run_at, r.run_at, w.run_at, t.run_at), t.deadline, t.policy,
                                 t.concurrency_key, t.concurrency_limit, t.idempotency_key, t.retry_of, t.traceparent,
                                 route.queue, route.tags, t.created_at,
                                 CASE WHEN e.task_id IS NOT NULL THEN e.state WHEN l.task_id IS NULL THEN 'PENDING'
                                      WHEN l.started_at IS NULL THEN 'CLAIMED' ELSE 'RUNNING' END,
                                 coalesce(w.why, ''), coalesce(e.attempts, l.attempts, r.attempts, w.attempts, 0),
                                 coalesce(e.crashes, l.crashes, r.crashes, w.crashes, 0),
                                 coalesce(e.requeues, l.requeues, r.requeues, w.requeues, 0),
                                 coalesce(e.lease, l.lease, 0), coalesce(e.worker_id, l.worker_id),
                                 coalesce(e.claimed_at, l.claimed_at), coalesce(e.started_at, l.started_at),
                                 e.finished_at, l.stop_requested IS 'cancel', e.result, e.error_code, e.error_message,
                                 e.error_data, p.fraction, p.text, p.saved_at, p.checkpoint
                          FROM task t JOIN route ON route.id = t.route_id
                            LEFT JOIN ending e ON e.task_id = t.id LEFT JOIN lease l ON l.task_id = t.id
                            LEFT JOIN ready r ON r.task_id = t.id LEFT JOIN waiting w ON w.task_id = t.id
                            LEFT JOIN progress p ON p.task_id = t.id
                          WHERE t.id = ?)sql",
                    store::read_as<TaskRecord>, id);
}

// Every source below yields ids of one kind of task, newest first, and takes the same parameters: ?1 ?2 the range of
// ids, ?3 name, ?4 queue, ?5 worker (NULL or '' for any), ?6 limit, ?7 a state, ?8 a route.
#define HOLDFAST_MATCHING                             \
    " BETWEEN ?1 AND ?2 AND (?3 = '' OR t.name = ?3)" \
    " AND (?4 = '' OR t.route_id IN (SELECT id FROM route WHERE queue = ?4))"
#define HOLDFAST_HISTORY " LEFT JOIN lease l ON l.task_id = t.id LEFT JOIN ending e ON e.task_id = t.id"
#define HOLDFAST_WORKED " AND (?5 IS NULL OR coalesce(e.worker_id, l.worker_id) = ?5)"
constexpr Sql all_ids = "SELECT t.id FROM task t" HOLDFAST_HISTORY " WHERE t.id" HOLDFAST_MATCHING HOLDFAST_WORKED
                        " AND ?7 IS ?7 AND ?8 IS ?8 ORDER BY t.id DESC LIMIT ?6";
constexpr Sql ready_ids = "SELECT t.id FROM ready x JOIN task t ON t.id = x.task_id WHERE x.task_id" HOLDFAST_MATCHING
                          " AND ?5 IS NULL AND ?7 IS ?7 AND ?8 IS ?8 ORDER BY x.task_id DESC LIMIT ?6";
constexpr Sql waiting_ids =
    "SELECT t.id FROM waiting x JOIN task t ON t.id = x.task_id WHERE x.task_id" HOLDFAST_MATCHING
    " AND ?5 IS NULL AND ?7 IS ?7 AND ?8 IS ?8 ORDER BY x.task_id DESC LIMIT ?6";
constexpr Sql leased_ids =
    "SELECT t.id FROM lease x JOIN task t ON t.id = x.task_id WHERE x.task_id" HOLDFAST_MATCHING
    " AND (?5 IS NULL OR x.worker_id = ?5) AND (?7 = '' OR (?7 = 'RUNNING') = (x.started_at IS NOT NULL))"
    " AND ?8 IS ?8 ORDER BY x.task_id DESC LIMIT ?6";
constexpr Sql completed_ids =
    "SELECT t.id FROM ending x JOIN task t ON t.id = x.task_id WHERE x.task_id" HOLDFAST_MATCHING
    " AND (?5 IS NULL OR x.worker_id = ?5) AND x.state = ?7 AND ?8 IS ?8 ORDER BY x.task_id DESC LIMIT ?6";
constexpr Sql otherwise_ended_ids =
    "SELECT t.id FROM ending x INDEXED BY ending_not_completed JOIN task t ON t.id = x.task_id"
    " WHERE x.task_id" HOLDFAST_MATCHING
    " AND (?5 IS NULL OR x.worker_id = ?5) AND x.state = ?7 AND x.state <> 'COMPLETED' AND ?8 IS ?8"
    " ORDER BY x.task_id DESC LIMIT ?6";
// The state of these is '' for any, or how they ended.
constexpr Sql named_ids = "SELECT t.id FROM task t INDEXED BY task_name" HOLDFAST_HISTORY
                          " WHERE t.name = ?3 AND t.id" HOLDFAST_MATCHING HOLDFAST_WORKED
                          " AND (?7 = '' OR e.state = ?7) AND ?8 IS ?8 ORDER BY t.id DESC LIMIT ?6";
constexpr Sql routed_ids =
    "SELECT t.id FROM task t INDEXED BY task_route" HOLDFAST_HISTORY
    " WHERE t.route_id = ?8 AND t.id BETWEEN ?1 AND ?2 AND (?3 = '' OR t.name = ?3) AND ?4 IS ?4" HOLDFAST_WORKED
    " AND (?7 = '' OR e.state = ?7) ORDER BY t.id DESC LIMIT ?6";
constexpr Sql worked_ids =
    "SELECT t.id FROM ending x INDEXED BY ending_worker CROSS JOIN task t ON t.id = x.task_id"
    " WHERE x.worker_id = ?5 AND x.task_id" HOLDFAST_MATCHING
    " AND (?7 = '' OR x.state = ?7) AND ?8 IS ?8 ORDER BY x.task_id DESC LIMIT ?6";
#undef HOLDFAST_MATCHING
#undef HOLDFAST_HISTORY
#undef HOLDFAST_WORKED

std::vector<Sql> sources_of(TaskState state) {
    switch (state) {
        case TaskState::Pending:
            return {ready_ids, waiting_ids};
        case TaskState::Claimed:
        case TaskState::Running:
            return {leased_ids};
        case TaskState::Completed:
            return {completed_ids};
        case TaskState::Failed:
        case TaskState::Cancelled:
        case TaskState::Expired:
            return {otherwise_ended_ids};
    }
    return {};
}

/// Finds the ids of one page of a list.
class IdSearch {
public:
    IdSearch(Database& db, const store::ListParams& params, const store::IdRange& range)
        : db_(db), params_(params), range_(range), routes_(routes_of_queue()) {
        guide_ = store::choose_guide(params.filter, [this](store::ListGuide by) { return is_rare(by); });
    }

    /// Newest first: the sources merged, and cut.
    [[nodiscard]] std::vector<Uuid> page() {
        if (params_.filter.states.empty()) read_any();
        for (const auto state : params_.filter.states) {
            if (guide_.leads_to(state))
                read_guided(to_text(state));
            else
                for (const Sql source : sources_of(state)) read(source, to_text(state));
        }
        std::vector<Uuid> page(ids_.begin(), ids_.end());
        if (page.size() > params_.limit) page.resize(params_.limit);
        return page;
    }

private:
    std::vector<std::int64_t> routes_of_queue() {
        if (params_.filter.queue.empty()) return {};
        return db_.all("SELECT id FROM route WHERE queue = ?", store::read_as<std::int64_t>, params_.filter.queue);
    }

    std::size_t count_few(Sql sql, const auto& of) {
        return static_cast<std::size_t>(db_.number(sql, of, store::rare_up_to + 1));
    }

    bool is_rare(store::ListGuide by) {
        if (by == store::ListGuide::Worker)
            return count_few(
                       R"sql(SELECT count(*) FROM (SELECT 1 FROM ending INDEXED BY ending_worker
                             WHERE worker_id = ? LIMIT ?))sql",
                       params_.filter.worker) <= store::rare_up_to;
        if (by == store::ListGuide::Name)
            return count_few("SELECT count(*) FROM (SELECT 1 FROM task INDEXED BY task_name WHERE name = ? LIMIT ?)",
                             params_.filter.name) <= store::rare_up_to;
        std::size_t tasks = 0;
        for (const std::int64_t route : routes_)
            tasks += count_few(
                "SELECT count(*) FROM (SELECT 1 FROM task INDEXED BY task_route WHERE route_id = ? LIMIT ?)", route);
        return tasks <= store::rare_up_to;
    }

    void read(Sql source, std::string_view state, std::int64_t route = 0) {
        auto rows = db_.query(source, range_.lowest, range_.highest, params_.filter.name, params_.filter.queue,
                              params_.filter.worker, params_.limit, state, route);
        while (rows.step()) ids_.insert(rows.uuid(0));
    }

    void read_any() {
        if (guide_.by == store::ListGuide::Order) return read(all_ids, "");
        if (guide_.by == store::ListGuide::Worker) read(leased_ids, "");
        read_guided("");
    }

    void read_guided(std::string_view ended) {
        switch (guide_.by) {
            case store::ListGuide::Worker:
                return read(worked_ids, ended);
            case store::ListGuide::Name:
                return read(named_ids, ended);
            case store::ListGuide::Queue:
                for (const std::int64_t route : routes_) read(routed_ids, ended, route);
                return;
            case store::ListGuide::Order:
                return;
        }
    }

    Database& db_;
    const store::ListParams& params_;
    const store::IdRange& range_;
    const std::vector<std::int64_t> routes_;
    store::ChosenGuide guide_;
    std::set<Uuid, std::greater<>> ids_;
};

}  // namespace

std::vector<std::optional<TaskRecord>> SqliteStore::find(const std::vector<Uuid>& ids) {
    if (ids.empty()) return {};
    return work_.read([&](Database& db) {
        std::vector<std::optional<TaskRecord>> records;
        records.reserve(ids.size());
        for (const auto& id : ids) records.push_back(find_one(db, id));
        return records;
    });
}

std::vector<TaskRecord> SqliteStore::list(const store::ListParams& params) {
    const auto range = store::id_range(params.filter.id_prefix, params.after);
    if (!range) return {};
    return work_.read([&](Database& db) {
        std::vector<TaskRecord> page;
        for (const auto& id : IdSearch(db, params, *range).page())
            if (auto record = find_one(db, id)) page.push_back(std::move(*record));
        return page;
    });
}

store::TaskCounts SqliteStore::count(const store::Queues& queues) {
    constexpr Sql of_all =
        R"sql(SELECT (SELECT count(*) FROM ready) + (SELECT count(*) FROM waiting),
              (SELECT count(*) FROM lease WHERE started_at IS NULL),
              (SELECT count(*) FROM lease WHERE started_at IS NOT NULL),
              (SELECT count(*) FROM task),
              (SELECT count(*) FROM ending WHERE state <> 'COMPLETED' AND state = 'FAILED'),
              (SELECT count(*) FROM ending WHERE state <> 'COMPLETED' AND state = 'CANCELLED'),
              (SELECT count(*) FROM ending WHERE state <> 'COMPLETED' AND state = 'EXPIRED'))sql";
#define HOLDFAST_ENDED(state)                                                                           \
    "(SELECT count(*) FROM ending e CROSS JOIN task t ON t.id = e.task_id WHERE e.state <> 'COMPLETED'" \
    " AND e.state = '" state "' AND t.route_id IN " HOLDFAST_ROUTES_TO("?1") ")"
    constexpr Sql of_some =
        "SELECT (SELECT count(*) FROM ready WHERE route_id IN " HOLDFAST_ROUTES_TO(
            "?1") ") + (SELECT count(*) FROM waiting WHERE route_id IN " HOLDFAST_ROUTES_TO("?1") "),"
        " (SELECT count(*) FROM lease WHERE started_at IS NULL AND route_id IN " HOLDFAST_ROUTES_TO("?1") "),"
        " (SELECT count(*) FROM lease WHERE started_at IS NOT NULL AND route_id IN " HOLDFAST_ROUTES_TO("?1") "),"
        " (SELECT count(*) FROM task WHERE route_id IN " HOLDFAST_ROUTES_TO("?1") "), " HOLDFAST_ENDED("FAILED")
        ", " HOLDFAST_ENDED("CANCELLED") ", " HOLDFAST_ENDED("EXPIRED");
#undef HOLDFAST_ENDED
    const auto names = store::encode_strings(queues);
    return work_.read([&](Database& db) {
        store::TaskCounts counts;
        auto row = queues.empty() ? db.query(of_all) : db.query(of_some, names);
        row.step();
        store::ColumnReader(row).read(counts.pending, counts.claimed, counts.running, counts.completed, counts.failed,
                                      counts.cancelled, counts.expired);
        // A task is in exactly one place, and those that have completed would take longest to count.
        counts.completed -=
            counts.pending + counts.claimed + counts.running + counts.failed + counts.cancelled + counts.expired;
        return counts;
    });
}

std::vector<store::AttemptRecord> SqliteStore::attempts(const Uuid& task) {
    return work_.all("SELECT " HOLDFAST_ATTEMPT_COLUMNS
                     " FROM attempt WHERE task_id = ?1 UNION ALL"
                     " SELECT " HOLDFAST_ATTEMPT_COLUMNS
                     " FROM ending WHERE task_id = ?1 AND started_at IS NOT NULL"
                     " ORDER BY lease",
                     store::read_as<store::AttemptRecord>, task);
}

std::vector<store::EventRecord> SqliteStore::events(const store::ReadEventsParams& params) {
#define HOLDFAST_QUEUED " AND (?3 = '[]' OR " HOLDFAST_EVENT_IN("?3") ") ORDER BY id LIMIT ?2"
    constexpr Sql all = "SELECT " HOLDFAST_EVENT_COLUMNS " FROM event WHERE id > ?1" HOLDFAST_QUEUED;
    constexpr Sql of_task =
        "SELECT " HOLDFAST_EVENT_COLUMNS
        " FROM event WHERE id > ?1 AND task_id = ?4 AND (?5 IS NULL OR worker_id = ?5)" HOLDFAST_QUEUED;
    constexpr Sql of_worker =
        "SELECT " HOLDFAST_EVENT_COLUMNS " FROM event WHERE id > ?1 AND worker_id = ?4" HOLDFAST_QUEUED;
#undef HOLDFAST_QUEUED
    const auto queues = store::encode_strings(params.queues);
    return work_.read([&](Database& db) {
        auto rows = params.task
                        ? db.query(of_task, params.after_id, params.limit, queues, *params.task, params.worker)
                    : params.worker ? db.query(of_worker, params.after_id, params.limit, queues, *params.worker)
                                    : db.query(all, params.after_id, params.limit, queues);
        return rows.all(store::read_as<store::EventRecord>);
    });
}

std::vector<store::EventRecord> SqliteStore::job_events(const store::JobEventsParams& params) {
    return work_.all("SELECT " HOLDFAST_EVENT_COLUMNS " FROM event WHERE job_id = ? AND id > ? ORDER BY id LIMIT ?",
                     store::read_as<store::EventRecord>, params.job, params.after_id, params.limit);
}

std::vector<store::EventRecord> SqliteStore::last_events(std::size_t limit, const store::Queues& queues) {
    const auto names = store::encode_strings(queues);
    return work_.all("SELECT " HOLDFAST_EVENT_COLUMNS
                     " FROM event WHERE ?2 = '[]' OR " HOLDFAST_EVENT_IN("?2") " ORDER BY id DESC LIMIT ?1",
                     store::read_as<store::EventRecord>, limit, names);
}

std::vector<store::EventRecord> SqliteStore::orders(const store::OrdersParams& params) {
    const auto queues = store::encode_strings(params.queues);
    return work_.all("SELECT " HOLDFAST_EVENT_COLUMNS
                     " FROM event WHERE is_order = 1 AND id < coalesce(?1, 9223372036854775807)"
                     " AND (?3 = '[]' OR " HOLDFAST_EVENT_IN("?3") ") ORDER BY id DESC LIMIT ?2",
                     store::read_as<store::EventRecord>, params.before, params.limit, queues);
}

void SqliteStore::append_event(const store::EventRecord& event) {
    write([&](Transaction& tx) {
        write_event(tx, store::appended_event(event));
        return true;
    });
}

/// A writer has the file to itself until its lines are committed, so none is ever under way here.
store::EventWriters SqliteStore::event_writers() {
    const auto newest = [](Database& db) { return db.number("SELECT coalesce(max(id), 0) FROM event"); };
    return {.newest = work_.read(newest), .writers = {}};
}

}  // namespace holdfast::sqlite
