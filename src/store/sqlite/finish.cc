#include "store/admission.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::Fenced;
using store::FinishOutcome;
using store::TaskLease;

bool is_current(const std::optional<LeaseRow>& row, const TaskLease& lease) {
    return row && row->lease.lease == lease.lease;
}

Fenced start_one(Transaction& tx, const TaskLease& lease) {
    const auto row = find_lease(tx.db, lease.task);
    if (!is_current(row, lease)) return Fenced::LeaseLost;
    if (row->started_at) return Fenced::Already;
    if (row->stop_requested) return Fenced::Withdrawn;
    tx.db.run("UPDATE lease SET started_at = ? WHERE task_id = ?", tx.now, lease.task);
    tx.started_tasks.push_back(lease.task);
    return Fenced::Applied;
}

/// A result that comes too late is evidence: it is noted, and not applied.
FinishOutcome refuse(Transaction& tx, const store::FinishedRun& run, const Uuid& worker) {
    auto task = tx.db.query("SELECT 1 FROM task WHERE id = ?", run.lease.task);
    if (task.step()) write_event(tx, store::late_result_event(run, worker));
    return {Fenced::LeaseLost, {}};
}

FinishOutcome finished_before(Database& db, const TaskLease& lease) {
    auto row = db.query("SELECT state FROM ending WHERE task_id = ? AND lease = ?", lease.task, lease.lease);
    const auto state = row.step() ? parse_task_state(row.text(0)) : std::nullopt;
    return {Fenced::Already, state.value_or(TaskState::Pending)};
}

FinishOutcome finish_one(Transaction& tx, const store::FinishedRun& given, const Uuid& worker,
                         const store::Limits& limits) {
    const auto row = find_lease(tx.db, given.lease.task);
    auto run = store::storable(given, limits);
    if (!is_current(row, given.lease) || !row->started_at) {
        // Another end than this one was said by somebody else: a sweeper, or a person with force.
        const bool is_same_call = find_run_end(tx.db, given.lease) == run.end;
        return is_same_call ? finished_before(tx.db, given.lease) : refuse(tx, run, worker);
    }
    const auto state = end_lease(tx, *row, {run.end, std::move(run.result), std::move(run.error), run.jitter});
    return {Fenced::Applied, state};
}

Fenced hand_back_one(Transaction& tx, const TaskLease& lease) {
    const auto row = find_lease(tx.db, lease.task);
    if (is_current(row, lease) && !row->started_at) {
        end_lease(tx, *row, {core::LeaseEnd::NotStarted, "", {}, 0.5});
        return Fenced::Applied;
    }
    const auto pending = find_pending(tx.db, lease.task);
    return pending && pending->position.last_lease == lease.lease ? Fenced::Already : Fenced::LeaseLost;
}

}  // namespace

std::vector<Fenced> SqliteStore::start(const store::LeasesParams& params) {
    return write_each<Fenced>(params.leases, start_one);
}

store::FinishAnswer SqliteStore::finish(const store::FinishParams& params) {
    store::FinishAnswer answer;
    std::size_t run = 0, start = 0;
    // The starts ride with the last of the runs that free their runners, in one transaction.
    while (run < params.runs.size() || start < params.then_start.size()) {
        write([&](Transaction& tx) {
            TransactionRoom room;
            tx.who = params.worker.to_string();
            for (; run < params.runs.size() && room.takes(params.runs[run]); ++run)
                answer.runs.push_back(finish_one(tx, params.runs[run], params.worker, limits_));
            if (run < params.runs.size()) return true;
            for (; start < params.then_start.size() && room.takes(params.then_start[start]); ++start)
                answer.starts.push_back(start_one(tx, params.then_start[start]));
            return true;
        });
    }
    return answer;
}

std::vector<Fenced> SqliteStore::hand_back(const store::LeasesParams& params) {
    return write_each<Fenced>(params.leases, hand_back_one);
}

}  // namespace holdfast::sqlite
