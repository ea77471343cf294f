#include "core/task/clock_trust.h"
#include "store/list_guide.h"
#include "store/old_rows.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::OldRows;

/// History grows at its end, so old rows are found among the lowest numbers.
OldRows find_old(Transaction& tx, const store::PruneParams& params, Timestamp now) {
    constexpr auto read_number = store::read_as<std::int64_t>;
    OldRows old;
    if (params.heartbeats_older_than)
        old.heartbeats = tx.all("SELECT id FROM holdfast.beat_history WHERE sent_at < $1 ORDER BY id LIMIT $2",
                                read_number, now - *params.heartbeats_older_than, params.limit);
    if (params.worker_states_older_than) {
        const auto before = now - *params.worker_states_older_than;
        old.worker_states = tx.all("SELECT id FROM holdfast.worker_state WHERE at < $1 ORDER BY id LIMIT $2",
                                   read_number, before, params.limit);
        old.workers = tx.all(R"sql(SELECT id FROM holdfast.worker w
                                   WHERE status = 'inactive' AND coalesce(last_heartbeat, registered_at) < $1
                                     AND NOT EXISTS (SELECT FROM holdfast.lease l
                                       WHERE l.worker_id = w.id) LIMIT $2)sql",
                             store::read_id, before, params.limit);
    }
    if (params.orders_older_than)
        old.orders = tx.all(R"sql(SELECT id FROM (SELECT id, at FROM holdfast.event WHERE is_order
                                    ORDER BY id LIMIT $1) oldest WHERE at < $2)sql",
                            read_number, params.limit, now - *params.orders_older_than);
    if (!params.terminal_older_than) return old;
    const auto before = now - *params.terminal_older_than;
    // Ids carry the time they were made: the search goes no further than those made before the horizon.
    old.tasks = tx.all(R"sql(SELECT task_id FROM holdfast.ending e WHERE task_id < $1 AND finished_at < $2
                             AND NOT EXISTS (SELECT FROM holdfast.step s WHERE s.task_id = e.task_id)
                             ORDER BY task_id LIMIT $3)sql",
                       store::read_id, store::first_id_at(before), before, params.limit);
    old.trees = tx.all("SELECT holdfast.old_jobs($1, $2, $3)", store::read_id, before, store::first_id_at(before),
                       static_cast<int>(params.limit));
    return old;
}

/// Deletes undeclared keys that no task uses. Skips a key that a submit under way has locked, and looks again once
/// the lock is held, because a task may have been accepted meanwhile.
void delete_idle_keys(Transaction& tx, std::size_t limit) {
    const auto rows = tx.run(
        R"sql(SELECT array_agg(key), array_agg(queue) FROM (
              SELECT c.key, c.queue FROM holdfast.concurrency c
              WHERE NOT c.declared AND NOT EXISTS (SELECT FROM holdfast.slot s
                WHERE s.key = c.key AND s.queue = c.queue)
                AND NOT holdfast.key_in_use(c.queue, c.key, '{}')
              ORDER BY c.key, c.queue LIMIT $1 FOR UPDATE SKIP LOCKED) k)sql",
        limit);
    if (rows[0].is_null(0)) return;
    tx.run(
        R"sql(DELETE FROM holdfast.concurrency c USING unnest($1, $2) AS k (key, queue) WHERE c.key = k.key
              AND c.queue = k.queue AND NOT c.declared AND NOT holdfast.key_in_use(c.queue, c.key, '{}'))sql",
        rows[0].strings(0), rows[0].strings(1));
}

/// The newest token is never removed: while there is a row, valid or not, servers ask for a token.
void delete_dead_tokens(Transaction& tx, Duration older_than, std::size_t limit) {
    tx.run(
        R"sql(WITH line AS (SELECT holdfast.now() - $1 * interval '1 microsecond' AS before)
              DELETE FROM holdfast.token WHERE id IN (
                SELECT t.id FROM holdfast.token t, line
                WHERE (t.revoked_at < before OR t.expires_at < before)
                  AND t.id <> (SELECT n.id FROM holdfast.token n ORDER BY n.created_at DESC, n.id DESC LIMIT 1)
                LIMIT $2))sql",
        older_than, limit);
}

core::ClockTrust trust_of(const Rows& row, const store::PruneParams& params, Timestamp now) {
    const core::ClockWitness before{row[0].optional_time(0), Duration(row[0].integer(1))};
    return core::trust_clock(before, {now, params.watched, params.clock_is_right});
}

/// Locks the row, so that processes prune one at a time: two would remove the same trees.
core::ClockTrust look_at_clock(Transaction& tx, const store::PruneParams& params, Timestamp now) {
    const auto row = tx.run("SELECT clock_trusted_at, clock_watched_us FROM holdfast.pruned WHERE id = 1 FOR UPDATE");
    const auto trust = trust_of(row, params, now);
    tx.run("UPDATE holdfast.pruned SET clock_trusted_at = $1, clock_watched_us = $2 WHERE id = 1",
           trust.witness.trusted_at, trust.witness.watched);
    return trust;
}

/// Returns how many of the trees are gone; a large one takes several calls.
std::int64_t delete_trees(Transaction& tx, const std::vector<Uuid>& roots, std::size_t limit) {
    if (roots.empty()) return 0;
    return tx.run("SELECT holdfast.delete_trees($1, $2)", roots, static_cast<int>(limit))[0].small(0);
}

void delete_workers(Transaction& tx, const std::vector<Uuid>& workers) {
    tx.run("DELETE FROM holdfast.worker WHERE id = ANY ($1)", workers);
    tx.run("DELETE FROM holdfast.claim WHERE worker_id = ANY ($1)", workers);
    tx.run("DELETE FROM holdfast.event WHERE worker_id = ANY ($1) AND task_id IS NULL AND NOT is_order", workers);
}

void delete_old(Transaction& tx, const OldRows& old, const store::PruneParams& params) {
    if (!old.heartbeats.empty()) tx.run("DELETE FROM holdfast.beat_history WHERE id = ANY ($1)", old.heartbeats);
    if (!old.worker_states.empty())
        tx.run("DELETE FROM holdfast.worker_state WHERE id = ANY ($1)", old.worker_states);
    if (!old.orders.empty()) tx.run("DELETE FROM holdfast.event WHERE id = ANY ($1)", old.orders);
    if (!old.tasks.empty()) tx.run("SELECT holdfast.delete_tasks($1)", old.tasks);
    if (!old.workers.empty()) delete_workers(tx, old.workers);
    if (!params.terminal_older_than) return;
    delete_idle_keys(tx, params.limit);
    tx.run("SELECT holdfast.delete_unused_definitions($1)", static_cast<int>(params.limit));
    delete_dead_tokens(tx, *params.terminal_older_than, params.limit);
}

store::PruneAnswer count_old(Transaction& tx, const store::PruneParams& params, Timestamp now) {
    auto answer = find_old(tx, params, now).answer(params.limit);
    const auto row = tx.run("SELECT clock_trusted_at, clock_watched_us FROM holdfast.pruned WHERE id = 1");
    answer.doubt = core::describe_doubt(trust_of(row, params, now), now);
    return answer;
}

}  // namespace

store::PruneAnswer PostgresStore::prune(const store::PruneParams& given) {
    auto params = given;
    params.limit = std::min(given.limit, store::max_batch_rows);
    if (params.limit == 0) return {};
    return transact_on(upkeep_, [&](Transaction& tx) {
        const auto now = tx.run("SELECT holdfast.now()")[0].time(0);
        if (params.dry_run) return count_old(tx, params, now);
        if (const auto trust = look_at_clock(tx, params, now); !trust.is_trusted)
            return store::PruneAnswer{.doubt = core::describe_doubt(trust, now)};
        const auto old = find_old(tx, params, now);
        auto answer = old.answer(params.limit);
        answer.jobs = delete_trees(tx, old.trees, params.limit);
        answer.more |= answer.jobs < std::ssize(old.trees);
        delete_old(tx, old, params);
        return answer;
    });
}

}  // namespace holdfast::postgres
