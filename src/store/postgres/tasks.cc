#include <set>

#include "store/encoding.h"
#include "store/id_range.h"
#include "store/list_guide.h"
#include "store/postgres/endings.h"
#include "store/postgres/job_tables.h"
#include "store/postgres/store_impl.h"
#include "store/postgres/task_rows.h"

namespace holdfast::postgres {

namespace {

using store::TaskRecord;

TaskRecord read_record(const Rows& rows, int row) {
    TaskRecord record;
    record.task = read_task(rows, row);
    record.task.queue = rows.string(row, 13);
    record.task.tags = rows.strings(row, 14);
    record.created_at = rows.time(row, 15);
    record.state = store::read_task_state(rows.text(row, 16));
    record.waits_for = store::read_wait_reason(rows.text(row, 17));
    record.history = {rows.small(row, 18), rows.small(row, 19), rows.small(row, 20)};
    record.lease = rows.integer(row, 21);
    record.worker = rows.uuid(row, 22);
    record.claimed_at = rows.optional_time(row, 23);
    record.started_at = rows.optional_time(row, 24);
    record.finished_at = rows.optional_time(row, 25);
    record.cancel_requested = rows.boolean(row, 26);
    record.result = rows.string(row, 27);
    record.error = read_error(rows, row, 28);
    if (!rows.is_null(row, 31))
        record.progress = store::Progress{rows.real(row, 31), rows.string(row, 32), rows.time(row, 33)};
    record.checkpoint = rows.string(row, 34);
    return record;
}

std::vector<const char*> sources_of(TaskState state) {
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

Command ordered(const char* source, const store::ListParams& params, const store::IdRange& range,
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
            for (const auto* source : sources_of(state))
                commands.push_back(ordered(source, params, range, to_text(state)));
    }
    return commands;
}

#define HOLDFAST_EVENT_COLUMNS "id, at, kind, task_id, worker_id, who, message, data, job_id"

std::vector<store::EventRecord> read_events(const Rows& rows) {
    std::vector<store::EventRecord> events;
    for (int row = 0; row < rows.size(); ++row)
        events.push_back({rows.integer(row, 0), rows.time(row, 1), rows.string(row, 2), rows.uuid(row, 3),
                          rows.uuid(row, 4), rows.string(row, 5), rows.string(row, 6), rows.string(row, 7),
                          rows.uuid(row, 8)});
    return events;
}

}  // namespace

std::vector<TaskRecord> PostgresStore::read_tasks(const std::vector<Uuid>& ids) {
    const auto rows = work_.read(
        "SELECT " HOLDFAST_TASK_COLUMNS
        ", queue, tags, created_at, state, waits_for, attempts, crashes, requeues, lease,"
        " worker_id, claimed_at, started_at, finished_at, cancel_requested, result, error_code, error_message,"
        " error_data, progress, progress_text, progress_at, checkpoint FROM holdfast.find_tasks($1)",
        ids);
    std::vector<TaskRecord> records;
    records.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) records.push_back(read_record(rows, row));
    return records;
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
    return rows.integer(0, 0) <= static_cast<std::int64_t>(store::rare_up_to);
}

std::vector<TaskRecord> PostgresStore::list(const store::ListParams& params) {
    const auto range = store::id_range(params.filter.id_prefix, params.after);
    if (!range) return {};
    const auto guide =
        store::choose_guide(params.filter, [&](store::ListGuide by) { return is_rare(by, params.filter); });
    std::set<Uuid, std::greater<>> ids;
    for (const auto& rows : work_.run(list_commands(params, *range, guide), Effect::Reads))
        for (int row = 0; row < rows.size(); ++row) ids.insert(rows.uuid(row, 0));
    std::vector<Uuid> page(ids.begin(), ids.end());
    if (page.size() > params.limit) page.resize(params.limit);
    if (page.empty()) return {};
    return read_tasks(page);
}

store::TaskCounts PostgresStore::count() {
    const auto row = work_.read(
        "SELECT (SELECT count(*) FROM holdfast.ready) + (SELECT count(*) FROM holdfast.waiting),"
        " (SELECT count(*) FROM holdfast.lease WHERE started_at IS NULL),"
        " (SELECT count(*) FROM holdfast.lease WHERE started_at IS NOT NULL),"
        " (SELECT count(*) FROM holdfast.ending),"
        " (SELECT count(*) FROM holdfast.ending WHERE state <> 'COMPLETED' AND state = 'FAILED'),"
        " (SELECT count(*) FROM holdfast.ending WHERE state <> 'COMPLETED' AND state = 'CANCELLED'),"
        " (SELECT count(*) FROM holdfast.ending WHERE state <> 'COMPLETED' AND state = 'EXPIRED')");
    store::TaskCounts counts;
    counts.pending = row.integer(0, 0);
    counts.claimed = row.integer(0, 1);
    counts.running = row.integer(0, 2);
    counts.failed = row.integer(0, 4);
    counts.cancelled = row.integer(0, 5);
    counts.expired = row.integer(0, 6);
    counts.completed = row.integer(0, 3) - counts.failed - counts.cancelled - counts.expired;
    return counts;
}

std::vector<store::AttemptRecord> PostgresStore::attempts(const Uuid& task) {
    const auto rows = work_.read(
        "SELECT attempt, lease, worker_id, claimed_at, started_at, finished_at, run_end, error_code, error_message, "
        "error_data"
        " FROM holdfast.attempts WHERE task_id = $1 ORDER BY lease",
        task);
    std::vector<store::AttemptRecord> attempts;
    for (int row = 0; row < rows.size(); ++row)
        attempts.push_back({task, rows.small(row, 0), rows.integer(row, 1), rows.uuid(row, 2), rows.time(row, 3),
                            rows.time(row, 4), rows.time(row, 5), store::read_lease_end(rows.text(row, 6)),
                            read_error(rows, row, 7)});
    return attempts;
}

std::vector<store::EventRecord> PostgresStore::events(const store::ReadEventsParams& params) {
    const auto limit = static_cast<std::int64_t>(params.limit);
    const auto rows =
        params.task
            ? work_.read("SELECT " HOLDFAST_EVENT_COLUMNS
                         " FROM holdfast.event"
                         " WHERE id > $1 AND task_id = $3 AND ($4 IS NULL OR worker_id = $4) ORDER BY id LIMIT $2",
                         params.after_id, limit, *params.task, params.worker)
        : params.worker ? work_.read("SELECT " HOLDFAST_EVENT_COLUMNS
                                     " FROM holdfast.event"
                                     " WHERE id > $1 AND worker_id = $3 ORDER BY id LIMIT $2",
                                     params.after_id, limit, *params.worker)
                        : work_.read("SELECT " HOLDFAST_EVENT_COLUMNS
                                     " FROM holdfast.event"
                                     " WHERE id > $1 ORDER BY id LIMIT $2",
                                     params.after_id, limit);
    return read_events(rows);
}

std::vector<store::EventRecord> PostgresStore::last_events(std::size_t limit) {
    return read_events(work_.read("SELECT " HOLDFAST_EVENT_COLUMNS " FROM holdfast.event ORDER BY id DESC LIMIT $1",
                                  static_cast<std::int64_t>(limit)));
}

void PostgresStore::append_event(const store::EventRecord& event) {
    transact([&](Transaction& tx) {
        write_events(tx, {store::appended_event(event)});
        return true;
    });
}

/// An insert locks the table before it draws a number, and until the end of its transaction. The order matters:
/// whoever has a lower number than the newest one has that lock by the time it is asked for.
store::EventWriters PostgresStore::event_writers() {
    const auto answers =
        work_.run({Command{"SELECT coalesce(max(id), 0) FROM holdfast.event", Params()},
                   Command{"SELECT DISTINCT virtualtransaction FROM pg_locks WHERE locktype = 'relation'"
                           " AND relation = 'holdfast.event'::regclass AND mode = 'RowExclusiveLock' AND granted"
                           " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
                           Params()}},
                  Effect::Reads);
    store::EventWriters found{.newest = answers[0].integer(0, 0), .writers = {}};
    for (int row = 0; row < answers[1].size(); ++row) found.writers.push_back(answers[1].string(row, 0));
    return found;
}

std::vector<store::EventRecord> PostgresStore::job_events(const store::JobEventsParams& params) {
    return read_events(work_.read("SELECT " HOLDFAST_EVENT_COLUMNS
                                  " FROM holdfast.event WHERE job_id = $1 AND id > $2 ORDER BY id LIMIT $3",
                                  params.job, params.after_id, static_cast<std::int64_t>(params.limit)));
}

}  // namespace holdfast::postgres
