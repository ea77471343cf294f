#include <span>
#include <unordered_map>
#include <utility>

#include "store/admission.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::Fenced;
using store::FinishOutcome;
using store::TaskLease;

bool is_held(const std::optional<LeaseRow>& row, const TaskLease& lease, const Uuid& worker) {
    return row && row->lease.lease == lease.lease && row->worker == worker;
}

Fenced start_one(Transaction& tx, const TaskLease& lease, const Uuid& worker) {
    const auto row = find_lease(tx.db, lease.task);
    if (!is_held(row, lease, worker)) return Fenced::LeaseLost;
    if (row->started_at) return Fenced::Already;
    if (row->stop_requested) return Fenced::Withdrawn;
    tx.db.run("UPDATE lease SET started_at = ? WHERE task_id = ?", tx.now, lease.task);
    tx.started_tasks.push_back(lease.task);
    return Fenced::Applied;
}

/// A result that comes too late is evidence: it is noted and not applied. A run that did not begin has none.
FinishOutcome refuse(Transaction& tx, const store::FinishedRun& run, const Uuid& worker) {
    if (run.end == core::LeaseEnd::NotStarted) return {Fenced::LeaseLost, {}};
    auto task = tx.db.query("SELECT 1 FROM task WHERE id = ?", run.lease.task);
    if (task.step()) write_event(tx, store::late_result_event(run, worker));
    return {Fenced::LeaseLost, {}};
}

FinishOutcome finished_before(Database& db, const TaskLease& lease) {
    auto row = db.query("SELECT state FROM ending WHERE task_id = ? AND lease = ?", lease.task, lease.lease);
    const auto state = row.step() ? parse_task_state(row.text(0)) : std::nullopt;
    return {Fenced::Already, state.value_or(TaskState::Pending)};
}

/// One transaction's share of the runs that a worker reports.
class FinishedRuns {
public:
    FinishedRuns(Transaction& tx, const Uuid& worker, const store::Limits& limits)
        : tx_(tx), worker_(worker), limits_(limits) {}

    void finish(std::span<const store::FinishedRun> runs, std::vector<FinishOutcome>& outcomes) {
        std::vector<Uuid> tasks;
        for (const auto& run : runs) tasks.push_back(run.lease.task);
        leases_ = find_leases(tx_.db, tasks);
        for (const auto& run : runs) outcomes.push_back(finish_one(run));
        write_endings(tx_, endings_);
    }

private:
    FinishOutcome finish_one(const store::FinishedRun& given) {
        auto run = store::storable(given, limits_);
        const auto found = leases_.find(given.lease.task);
        const bool is_held =
            found != leases_.end() && found->second.lease == given.lease && found->second.worker == worker_;
        if (!is_held) return refuse_or_repeat(run);
        auto lease = std::move(leases_.extract(found).mapped());
        if (given.end != core::LeaseEnd::NotStarted && !lease.started_at) {
            // The run proves the start: it is in a part of history that the store has lost.
            lease.started_at = tx_.now;
            tx_.started_tasks.push_back(given.lease.task);
        }
        const auto state = end_lease(tx_, std::move(lease),
                                     {run.end, std::move(run.result), std::move(run.error), run.jitter}, endings_);
        return {Fenced::Applied, state};
    }

    FinishOutcome refuse_or_repeat(const store::FinishedRun& run) {
        // The run may have been reported in this very transaction.
        write_endings(tx_, std::exchange(endings_, {}));
        if (run.end == core::LeaseEnd::NotStarted && was_put_back(tx_.db, run.lease))
            return {Fenced::Already, TaskState::Pending};
        // A different end was not reported by this worker, but by a sweeper or by a person with force.
        const bool is_same_call = find_run_end(tx_.db, run.lease, worker_) == run.end;
        return is_same_call ? finished_before(tx_.db, run.lease) : refuse(tx_, run, worker_);
    }

    Transaction& tx_;
    const Uuid& worker_;
    const store::Limits& limits_;
    std::unordered_map<Uuid, LeaseRow> leases_;  // without those that have ended
    std::vector<EndingRow> endings_;             // not yet written
};

Fenced hand_back_one(Transaction& tx, const TaskLease& lease, const Uuid& worker) {
    auto row = find_lease(tx.db, lease.task);
    if (is_held(row, lease, worker) && !row->started_at) {
        end_lease(tx, std::move(*row), {core::LeaseEnd::NotStarted, "", {}, 0.5});
        return Fenced::Applied;
    }
    return was_put_back(tx.db, lease) ? Fenced::Already : Fenced::LeaseLost;
}

/// Answers as many items, from the one after the last answer on, as the transaction has room for. Returns whether all
/// are answered.
template <typename Item, typename Answer, typename Body>
bool answer_each(const std::vector<Item>& items, TransactionRoom& room, std::vector<Answer>& answers,
                 const Body& body) {
    while (answers.size() < items.size() && room.takes(items[answers.size()]))
        answers.push_back(body(items[answers.size()]));
    return answers.size() == items.size();
}

}  // namespace

store::TurnAnswer SqliteStore::turn(const store::TurnParams& params) {
    store::TurnAnswer answer;
    bool has_claimed = false;
    bool is_done = params.asks_for_nothing();
    while (!is_done) is_done = write([&](Transaction& tx) { return continue_turn(tx, params, has_claimed, answer); });
    return answer;
}

bool SqliteStore::continue_turn(Transaction& tx, const store::TurnParams& params, bool& has_claimed,
                                store::TurnAnswer& answer) {
    TransactionRoom room;
    tx.who = params.worker.to_string();
    if (!finish_runs(tx, params, room, answer.finished)) return false;
    if (!answer_each(params.start, room, answer.started,
                     [&](auto& lease) { return start_one(tx, lease, params.worker); }))
        return false;
    if (params.claims() && !has_claimed) {
        if (!room.is_empty() && !room.has_rows(params.to_start + params.to_hold)) return false;
        settle(tx);  // the next steps of jobs and the tasks behind freed keys can be claimed at once
        answer.claimed = claim_in(tx, params);
        has_claimed = true;
    }
    return answer_each(params.hand_back, room, answer.handed_back,
                       [&](auto& lease) { return hand_back_one(tx, lease, params.worker); });
}

bool SqliteStore::finish_runs(Transaction& tx, const store::TurnParams& params, TransactionRoom& room,
                              std::vector<FinishOutcome>& outcomes) {
    const auto first = outcomes.size();
    auto last = first;
    while (last < params.finish.size() && room.takes(params.finish[last])) ++last;
    FinishedRuns(tx, params.worker, limits_).finish(std::span(params.finish).subspan(first, last - first), outcomes);
    return last == params.finish.size();
}

}  // namespace holdfast::sqlite
