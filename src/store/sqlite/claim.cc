#include <unordered_set>

#include "store/sqlite/claim_search.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::ClaimAnswer;
using store::ClaimedTask;
using store::ClaimRefusal;
using store::TurnParams;

struct ClaimingWorker {
    ClaimRefusal refusal = ClaimRefusal::UnknownWorker;
    std::string queues;
    std::string tags;
};

ClaimingWorker find_worker(Database& db, const Uuid& worker) {
    auto row = db.query("SELECT status, cordoned, queues, tags FROM worker WHERE id = ?", worker);
    if (!row.step()) return {};
    auto refusal = ClaimRefusal::None;
    if (row.integer(1) != 0) refusal = ClaimRefusal::Cordoned;
    if (row.text(0) != "active") refusal = ClaimRefusal::NotActive;
    return {refusal, row.string(2), row.string(3)};
}

std::optional<Duration> time_until_next_due(const Transaction& tx, const std::vector<std::int64_t>& routes) {
    std::optional<Timestamp> earliest;
    for (const auto route : routes) {
        auto row = tx.db.query("SELECT min(run_at) FROM waiting WHERE why = 'future' AND route_id = ?", route);
        row.step();
        const auto due = row.optional_time(0);
        if (due && (!earliest || *due < *earliest)) earliest = due;
    }
    if (!earliest) return std::nullopt;
    return std::max(*earliest - tx.now, Duration::zero());
}

std::vector<std::int64_t> without_paused(Database& db, Routes& known, std::vector<std::int64_t> routes) {
    std::unordered_set<std::string> paused;
    auto rows = db.query("SELECT name FROM queue WHERE paused = 1");
    while (rows.step()) paused.insert(rows.string(0));
    if (!paused.empty())
        std::erase_if(routes, [&](std::int64_t route) { return paused.contains(known.find(db, route).queue); });
    return routes;
}

/// Is this the worker's last request, asked again?
bool was_answered(Database& db, const TurnParams& params) {
    auto row = db.query("SELECT 1 FROM claim WHERE worker_id = ? AND request = ?", params.worker, params.request);
    return row.step();
}

/// What the worker's last request was granted, as far as it is still held.
std::vector<ClaimedTask> granted_before(Database& db, Routes& routes, const Uuid& worker) {
    std::vector<ClaimedTask> granted;
    auto rows = db.query(
        R"sql(SELECT l.task_id, t.name, t.args, t.spec, t.policy, t.concurrency_key, t.concurrency_limit,
                     t.idempotency_key, t.retry_of, t.traceparent
              FROM claim c
                JOIN lease l ON l.worker_id = c.worker_id AND l.lease BETWEEN c.first_lease AND c.last_lease
                JOIN task t ON t.id = l.task_id
              WHERE c.worker_id = ? ORDER BY l.lease)sql",
        worker);
    while (rows.step()) {
        const auto lease = find_lease(db, rows.uuid(0));
        store::NewTask task;
        read_description(rows, 1, task);
        const auto& route = routes.find(db, lease->position.route);
        task.queue = route.queue;
        task.tags = route.tags;
        granted.push_back(claimed_task(db, *lease, std::move(task)));
    }
    return granted;
}

}  // namespace

ClaimAnswer SqliteStore::claim_in(Transaction& tx, const TurnParams& params) {
    hear_claim(tx, params.highest_lease);
    ClaimAnswer answer;
    const auto worker = find_worker(tx.db, params.worker);
    // What was granted is told again whatever has become of the worker: it would not learn of its leases otherwise.
    const bool asks_again = worker.refusal != ClaimRefusal::UnknownWorker && was_answered(tx.db, params);
    if (!asks_again) answer.refusal = worker.refusal;
    if (answer.refusal != ClaimRefusal::None) return answer;

    auto routes = routes_.served(tx.db, params.worker, worker.queues, worker.tags);
    routes = without_paused(tx.db, routes_, std::move(routes));
    if (asks_again) {
        answer.tasks = granted_before(tx.db, routes_, params.worker);
    } else {
        for (const auto route : routes) promote_due(tx, route, store::max_batch_rows);
        ClaimSearch search(tx, routes_, params, routes);
        answer.more = !search.run();
        answer.tasks = std::move(search.granted());
    }
    answer.next_due = time_until_next_due(tx, routes);
    return answer;
}

}  // namespace holdfast::sqlite
