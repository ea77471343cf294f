#include "store/sqlite/claim_search.h"

#include <map>

#include "store/rows.h"
#include "store/sqlite/keys.h"

namespace holdfast::sqlite {

namespace {

Cursor cursor_of(const Candidate& candidate) {
    const auto& position = candidate.pending.position;
    return {position.priority, position.run_at, candidate.pending.task};
}

bool is_plain(const Candidate& candidate) {
    return !candidate.pending.position.deadline && !candidate.pending.position.key;
}

}  // namespace

ClaimSearch::ClaimSearch(Transaction& tx, Routes& known_routes, const store::TurnParams& params,
                         const std::vector<std::int64_t>& routes)
    : tx_(tx), known_routes_(known_routes), params_(params), routes_(routes) {
    auto row = tx_.db.query("SELECT last FROM lease_number WHERE id = 1");
    row.step();
    last_lease_ = lease_before_ = row.integer(0);
}

/// Two passes. The first fills free runners, with tasks of all kinds in strict order. The second claims ahead for
/// runners that are still busy, and only tasks without a key: a task that waits at its worker must not occupy a slot
/// meanwhile.
bool ClaimSearch::run() {
    const bool all_started = search(params_.to_start, Keys::With);
    const bool all_held = search(params_.to_start + params_.to_hold, Keys::Without);
    if (!granted_.empty()) {
        insert_leases(tx_, leases_);
        remember();
    }
    // Claiming ahead is a bonus, not worth a second request.
    return all_started && (all_held || !granted_.empty());
}

/// Grants until there are `goal` grants, or no candidate is left. A round reads as many candidates as grants are
/// missing; those that are not granted (overdue, key full) leave `ready`, so the next round reads on behind the
/// cursor. False: the bound of candidates per transaction was met.
bool ClaimSearch::search(std::size_t goal, Keys keys) {
    Cursor cursor;
    for (bool exhausted = false; !exhausted && granted_.size() < goal;) {
        const auto limit = std::min(goal - granted_.size(), store::max_batch_rows - looked_at_);
        if (limit == 0) return false;
        auto candidates = next_candidates(cursor, limit, keys);
        exhausted = take(candidates, cursor) && candidates.size() < limit;
    }
    return true;
}

/// Merges the routes: each is read in the order of claims, so the first `limit` of all are among the first of each.
/// One route, the usual case, comes sorted.
std::vector<Candidate> ClaimSearch::next_candidates(const Cursor& after, std::size_t limit, Keys keys) {
    const auto is_before = [](const auto& a, const auto& b) { return cursor_of(a) < cursor_of(b); };
    std::vector<Candidate> candidates;
    candidates.reserve(limit);
    for (const auto route : routes_) {
        read_candidates(route, false, after, limit, candidates);
        if (keys == Keys::With) read_candidates(route, true, after, limit, candidates);
    }
    if (!std::is_sorted(candidates.begin(), candidates.end(), is_before))
        std::sort(candidates.begin(), candidates.end(), is_before);
    if (candidates.size() > limit) candidates.resize(limit);
    return candidates;
}

void ClaimSearch::read_candidates(std::int64_t route, bool keyed, const Cursor& after, std::size_t limit,
                                  std::vector<Candidate>& candidates) {
    const auto& names = known_routes_.find(tx_.db, route);
    auto rows = tx_.db.query(
        R"sql(SELECT r.task_id, r.priority, r.run_at, r.deadline, r.attempts, r.crashes, r.requeues, r.last_lease,
                     t.name, t.args, t.spec, t.policy, t.concurrency_key, t.concurrency_limit, t.idempotency_key,
                     t.retry_of, t.traceparent
              FROM ready r CROSS JOIN task t ON t.id = r.task_id
              WHERE r.route_id = ? AND r.keyed = ?
                AND (r.priority, r.run_at, r.task_id) > (?, ?, coalesce(?, x''))
              ORDER BY r.priority, r.run_at, r.task_id LIMIT ?)sql",
        route, keyed, after.priority, after.run_at, after.task, limit);
    while (rows.step()) {
        auto& found = candidates.emplace_back();
        found.pending.task = rows.uuid(0);
        read_description(rows, 8, found.task);
        found.task.queue = names.queue;
        found.task.tags = names.tags;
        auto& position = found.pending.position;
        position.route = route;
        position.priority = rows.small(1);
        position.run_at = rows.time(2);
        position.deadline = rows.optional_time(3);
        if (found.task.concurrency) position.key = found.task.concurrency->key;
        position.fails_unmatched = found.task.policy.unmatched != Unmatched::Wait;
        position.history = {rows.small(4), rows.small(5), rows.small(6)};
        position.last_lease = rows.integer(7);
    }
}

/// Takes the candidates and moves the cursor behind them: together when none has a deadline or key, else one by one.
/// False: stopped early, because other tasks may come next.
bool ClaimSearch::take(std::vector<Candidate>& candidates, Cursor& cursor) {
    if (std::all_of(candidates.begin(), candidates.end(), is_plain)) {
        take_plain(candidates, cursor);
        return true;
    }
    for (auto& candidate : candidates) {
        cursor = cursor_of(candidate);
        ++looked_at_;
        if (!consider(candidate)) return false;
    }
    return true;
}

void ClaimSearch::take_plain(std::vector<Candidate>& candidates, Cursor& cursor) {
    if (candidates.empty()) return;
    const auto last = cursor_of(candidates.back());
    remove_ranges(candidates, cursor);
    looked_at_ += candidates.size();
    granted_.reserve(granted_.size() + candidates.size());
    leases_.reserve(leases_.size() + candidates.size());
    for (auto& candidate : candidates) grant(candidate);
    cursor = last;
}

/// The candidates of a route are all of its ready tasks without a key from `after` up to the last of them: one range,
/// which one statement deletes.
void ClaimSearch::remove_ranges(const std::vector<Candidate>& candidates, const Cursor& after) {
    std::map<std::int64_t, Cursor> last_of_route;
    for (const auto& candidate : candidates) last_of_route[candidate.pending.position.route] = cursor_of(candidate);
    for (const auto& [route, last] : last_of_route)
        tx_.db.run(
            R"sql(DELETE FROM ready
                  WHERE route_id = ?1 AND keyed = 0
                    AND (priority, run_at, task_id) > (?2, ?3, coalesce(?4, x''))
                    AND (priority, run_at, task_id) <= (?5, ?6, ?7))sql",
            route, after.priority, after.run_at, after.task, last.priority, last.run_at, last.task);
}

/// Grants the candidate, or parks it. False: parking it has moved other tasks into reach, which may come before the
/// next candidate.
bool ClaimSearch::consider(Candidate& candidate) {
    const auto& position = candidate.pending.position;
    const auto& task = candidate.pending.task;
    remove_pending(tx_, candidate.pending);
    if (position.deadline && *position.deadline <= tx_.now) {
        park(tx_, task, position, store::WaitReason::Overdue);
        if (!position.key) return true;
        unpark(tx_, position.route, *position.key);
        return false;
    }
    if (position.key && !take_slot(tx_, position, task)) {
        park(tx_, task, position, store::WaitReason::Key);
    } else {
        grant(candidate);
    }
    return true;
}

void ClaimSearch::grant(Candidate& candidate) {
    auto& row = leases_.emplace_back();
    row.lease = {candidate.pending.task, ++last_lease_};
    row.worker = params_.worker;
    row.claimed_at = tx_.now;
    if (granted_.size() < params_.to_start) row.started_at = tx_.now;
    row.position = std::move(candidate.pending.position);
    if (row.started_at) tx_.started_tasks.push_back(row.lease.task);
    granted_.push_back(claimed_task(tx_.db, row, std::move(candidate.task)));
}

/// Remembers the grants of this request: when it is repeated, because its answer was lost, it is answered the same.
void ClaimSearch::remember() {
    tx_.db.run("UPDATE lease_number SET last = ? WHERE id = 1", last_lease_);
    tx_.db.run(
        R"sql(INSERT INTO claim (worker_id, request, first_lease, last_lease) VALUES (?1, ?2, ?3, ?4)
              ON CONFLICT (worker_id) DO UPDATE SET request = ?2, first_lease = ?3, last_lease = ?4)sql",
        params_.worker, params_.request, lease_before_ + 1, last_lease_);
}

void read_description(const Query& row, int column, store::NewTask& task) {
    task.name = row.text(column);
    task.args = row.text(column + 1);
    task.spec = row.text(column + 2);
    task.policy = store::read_policy(row, column + 3);
    if (!row.is_null(column + 4)) task.concurrency = ConcurrencyKey{row.string(column + 4), row.small(column + 5)};
    task.idempotency_key = row.text(column + 6);
    task.retry_of = row.uuid(column + 7);
    task.traceparent = row.text(column + 8);
}

store::ClaimedTask claimed_task(Database& db, const LeaseRow& row, store::NewTask&& task) {
    store::ClaimedTask claimed;
    claimed.task = std::move(task);
    claimed.task.id = row.lease.task;
    claimed.task.priority = row.position.priority;
    claimed.task.run_at = row.position.run_at;
    claimed.task.deadline = row.position.deadline;
    claimed.lease = row.lease.lease;
    claimed.started = row.started_at.has_value();
    claimed.history = row.position.history;
    if (claimed.history.next_attempt_number() > 1 || row.position.last_lease != 0) {
        auto saved = db.query("SELECT checkpoint FROM progress WHERE task_id = ?", row.lease.task);
        if (saved.step()) claimed.checkpoint = saved.text(0);
    }
    return claimed;
}

}  // namespace holdfast::sqlite
