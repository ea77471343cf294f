#include <set>

#include "store/list_guide.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::TaskRecord;

std::vector<std::string_view> sources_of(TaskState state) {
    switch (state) {
        case TaskState::Pending:
            return {"ready", "waiting"};
        case TaskState::Claimed:
        case TaskState::Running:
            return {"lease"};
        case TaskState::Completed:
        case TaskState::Failed:
        case TaskState::Cancelled:
        case TaskState::Expired:
            return {"ending"};
    }
    return {};
}

std::optional<Uuid> worker_of(const store::TaskFilter& filter) {
    return filter.worker.is_nil() ? std::nullopt : std::optional(filter.worker);
}

Command ordered(std::string_view source, const store::ListParams& params, const store::IdRange& range,
                std::string_view state) {
    const auto& filter = params.filter;
    return {"SELECT holdfast.list_ids($1, $2, $3, $4, $5, $6, $7, $8)",
            Params(source, range.lowest, range.highest, filter.name, filter.queue, worker_of(filter), state,
                   static_cast<int>(params.limit))};
}

/// `ended`: how they did, or "" for any state.
Command guided(store::ListGuide by, const store::ListParams& params, const store::IdRange& range,
               std::string_view ended) {
    const auto& filter = params.filter;
    const auto limit = static_cast<int>(params.limit);
    if (by == store::ListGuide::Worker)
        return {"SELECT holdfast.list_worked($1, $2, $3, $4, $5, $6, $7)",
                Params(filter.worker, range.lowest, range.highest, filter.name, filter.queue, ended, limit)};
    if (by == store::ListGuide::Name)
        return {"SELECT holdfast.list_named($1, $2, $3, $4, $5, $6, $7)",
                Params(filter.name, range.lowest, range.highest, filter.queue, worker_of(filter), ended, limit)};
    return {"SELECT holdfast.list_queued($1, $2, $3, $4, $5, $6, $7)",
            Params(filter.queue, range.lowest, range.highest, filter.name, worker_of(filter), ended, limit)};
}

std::vector<Command> list_commands(const store::ListParams& params, const store::IdRange& range,
                                   const store::ChosenGuide& guide) {
    std::vector<Command> commands;
    if (params.filter.states.empty())
        commands.push_back(guide.by == store::ListGuide::Order ? ordered("task", params, range, "")
                                                               : guided(guide.by, params, range, ""));
    for (const auto state : params.filter.states) {
        if (guide.leads_to(state))
            commands.push_back(guided(guide.by, params, range, to_text(state)));
        else
            for (const auto source : sources_of(state))
                commands.push_back(ordered(source, params, range, to_text(state)));
    }
    return commands;
}

}  // namespace

std::vector<TaskRecord> PostgresStore::read_tasks(const std::vector<Uuid>& ids) {
    return work_.all(
        R"sql(SELECT id, name, args, spec, priority, run_at, deadline, policy::text, concurrency_key,
                     concurrency_limit, idempotency_key, retry_of, traceparent, queue, tags, created_at, state,
                     waits_for, attempts, crashes, requeues, lease, worker_id, claimed_at, started_at, finished_at,
                     cancel_requested, result, error_code, error_message, error_data, progress, progress_text,
                     progress_at, checkpoint
              FROM holdfast.find_tasks($1))sql",
        store::read_as<TaskRecord>, ids);
}

std::vector<std::optional<TaskRecord>> PostgresStore::find(const std::vector<Uuid>& ids) {
    std::vector<std::optional<TaskRecord>> records(ids.size());
    if (ids.empty()) return records;
    std::unordered_map<Uuid, TaskRecord> found;
    for (auto& record : read_tasks(ids)) {
        const auto id = record.task.id;
        found.insert_or_assign(id, std::move(record));
    }
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (const auto record = found.find(ids[i]); record != found.end()) records[i] = record->second;
    return records;
}

bool PostgresStore::is_rare(store::ListGuide by, const store::TaskFilter& filter) {
    const auto rows = work_.read(
        "SELECT holdfast.count_up_to($1, $2, $3, $4)", static_cast<int>(store::rare_up_to) + 1,
        by == store::ListGuide::Worker ? worker_of(filter) : std::nullopt,
        by == store::ListGuide::Name ? filter.name : "", by == store::ListGuide::Queue ? filter.queue : "");
    return rows[0].integer(0) <= static_cast<std::int64_t>(store::rare_up_to);
}

std::vector<TaskRecord> PostgresStore::list(const store::ListParams& params) {
    const auto range = store::id_range(params.filter.id_prefix, params.after);
    if (!range) return {};
    const auto guide =
        store::choose_guide(params.filter, [&](store::ListGuide by) { return is_rare(by, params.filter); });
    std::set<Uuid, std::greater<>> ids;
    for (const auto& rows : work_.run(list_commands(params, *range, guide), Effect::Reads))
        for (const Row row : rows) ids.insert(row.uuid(0));
    std::vector<Uuid> page(ids.begin(), ids.end());
    if (page.size() > params.limit) page.resize(params.limit);
    if (page.empty()) return {};
    return read_tasks(page);
}

store::TaskCounts PostgresStore::count(const store::Queues& queues) {
    constexpr Sql of_all =
        R"sql(SELECT (SELECT count(*) FROM holdfast.ready) + (SELECT count(*) FROM holdfast.waiting),
              (SELECT count(*) FROM holdfast.lease WHERE started_at IS NULL),
              (SELECT count(*) FROM holdfast.lease WHERE started_at IS NOT NULL),
              (SELECT count(*) FROM holdfast.ending),
              (SELECT count(*) FROM holdfast.ending WHERE state <> 'COMPLETED' AND state = 'FAILED'),
              (SELECT count(*) FROM holdfast.ending WHERE state <> 'COMPLETED' AND state = 'CANCELLED'),
              (SELECT count(*) FROM holdfast.ending WHERE state <> 'COMPLETED' AND state = 'EXPIRED'))sql";
    const auto row = queues.empty() ? work_.read(of_all) : work_.read("SELECT * FROM holdfast.count_of($1)", queues);
    store::TaskCounts counts;
    store::ColumnReader(row[0]).read(counts.pending, counts.claimed, counts.running, counts.completed, counts.failed,
                                     counts.cancelled, counts.expired);
    counts.completed -= counts.failed + counts.cancelled + counts.expired;
    return counts;
}

std::vector<store::AttemptRecord> PostgresStore::attempts(const Uuid& task) {
    return work_.all("SELECT " HOLDFAST_ATTEMPT_COLUMNS " FROM holdfast.attempts WHERE task_id = $1 ORDER BY lease",
                     store::read_as<store::AttemptRecord>, task);
}

std::vector<store::EventRecord> PostgresStore::events(const store::ReadEventsParams& params) {
#define HOLDFAST_QUEUED \
    " AND (cardinality($3::text[]) = 0 OR holdfast.is_of_queues(queue, task_id, job_id, $3)) ORDER BY id LIMIT $2"
    constexpr Sql all = "SELECT " HOLDFAST_EVENT_COLUMNS " FROM holdfast.event WHERE id > $1" HOLDFAST_QUEUED;
    constexpr Sql of_task =
        "SELECT " HOLDFAST_EVENT_COLUMNS
        " FROM holdfast.event WHERE id > $1 AND task_id = $4 AND ($5 IS NULL OR worker_id = $5)" HOLDFAST_QUEUED;
    constexpr Sql of_worker =
        "SELECT " HOLDFAST_EVENT_COLUMNS " FROM holdfast.event WHERE id > $1 AND worker_id = $4" HOLDFAST_QUEUED;
#undef HOLDFAST_QUEUED
    const auto rows =
        params.task ? work_.read(of_task, params.after_id, params.limit, params.queues, *params.task, params.worker)
        : params.worker ? work_.read(of_worker, params.after_id, params.limit, params.queues, *params.worker)
                        : work_.read(all, params.after_id, params.limit, params.queues);
    return rows.all(store::read_as<store::EventRecord>);
}

std::vector<store::EventRecord> PostgresStore::job_events(const store::JobEventsParams& params) {
    return work_.all("SELECT " HOLDFAST_EVENT_COLUMNS
                     " FROM holdfast.event WHERE job_id = $1 AND id > $2 ORDER BY id LIMIT $3",
                     store::read_as<store::EventRecord>, params.job, params.after_id, params.limit);
}

std::vector<store::EventRecord> PostgresStore::last_events(std::size_t limit, const store::Queues& queues) {
    return work_.all("SELECT " HOLDFAST_EVENT_COLUMNS
                     " FROM holdfast.event WHERE cardinality($2::text[]) = 0"
                     " OR holdfast.is_of_queues(queue, task_id, job_id, $2) ORDER BY id DESC LIMIT $1",
                     store::read_as<store::EventRecord>, limit, queues);
}

std::vector<store::EventRecord> PostgresStore::orders(const store::OrdersParams& params) {
    return work_.all("SELECT " HOLDFAST_EVENT_COLUMNS
                     " FROM holdfast.event WHERE is_order AND id < coalesce($1, 9223372036854775807)"
                     " AND (cardinality($3::text[]) = 0 OR holdfast.is_of_queues(queue, task_id, job_id, $3))"
                     " ORDER BY id DESC LIMIT $2",
                     store::read_as<store::EventRecord>, params.before, params.limit, params.queues);
}

void PostgresStore::append_event(const store::EventRecord& event) {
    transact([&](Transaction& tx) {
        write_events(tx, {store::appended_event(event)});
        return true;
    });
}

/// An insert locks the table before it draws a number, and until the end of its transaction. So the newest number is
/// read first: a transaction that has drawn a lower one holds its lock by the time the locks are read.
store::EventWriters PostgresStore::event_writers() {
    constexpr Sql newest = "SELECT coalesce(max(id), 0) FROM holdfast.event";
    constexpr Sql writers =
        R"sql(SELECT DISTINCT virtualtransaction FROM pg_locks
              WHERE locktype = 'relation' AND relation = 'holdfast.event'::regclass
                AND mode = 'RowExclusiveLock' AND granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))sql";
    const auto answers = work_.run({{newest, {}}, {writers, {}}}, Effect::Reads);
    return {.newest = answers[0][0].integer(0), .writers = answers[1].all(store::read_as<std::string>)};
}

}  // namespace holdfast::postgres
