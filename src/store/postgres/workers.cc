#include "store/admission.h"
#include "store/beat_answer.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::RemoveStatus;
using store::WorkerStatus;

std::vector<store::StoredLease> leases_of(Transaction& tx, const Uuid& worker) {
    return tx.all(
        R"sql(SELECT task_id, lease, nullif(stop_requested, 'pause'), unlisted_beats FROM holdfast.lease
              WHERE worker_id = $1 ORDER BY task_id, lease)sql",
        store::read_as<store::StoredLease>, worker);
}

/// Counts a beat that did not list these leases, or forgets those counted.
void count_unlisted(Transaction& tx, std::vector<store::TaskLease> leases, bool listed_again) {
    if (leases.empty()) return;
    std::sort(leases.begin(), leases.end());
    auto params = columns(leases, [](const auto& lease) { return std::tuple(lease.task, lease.lease); });
    params.add(listed_again);
    tx.run(Command{
        R"sql(UPDATE holdfast.lease l SET unlisted_beats = CASE WHEN $3 THEN 0 ELSE l.unlisted_beats + 1 END
              FROM unnest($1, $2) AS g (task_id, lease) WHERE l.task_id = g.task_id AND l.lease = g.lease)sql",
        std::move(params)});
}

/// Travels with the call whose answer it is part of.
Command rank_command() {
    return {"SELECT rank FROM holdfast.incarnation", Params()};
}

Command beat_command(const store::BeatParams& params) {
    return {
        "SELECT old_status, cordoned, drain_requested, beat FROM holdfast.beat($1, $2, $3::jsonb, $4, $5, $6, $7)",
        Params(params.worker, word_of(params.status), store::encode_held(params.held), params.keep_history,
               params.proves_session, params.acknowledged.rank, params.acknowledged.number)};
}

store::BeatAnswer beat_in(Transaction& tx, const store::BeatParams& params, const store::Limits& limits) {
    const auto answers = tx.run(std::vector<Command>{beat_command(params), rank_command()});
    const auto& worker = answers[0];
    const auto rank = answers[1][0].integer(0);
    if (worker.empty()) return {.known = false, .rank = rank, .lost = {}, .stop = {}, .unlisted = {}};
    if (store::read_word<WorkerStatus>(worker[0].text(0)) == WorkerStatus::Inactive &&
        params.status == WorkerStatus::Active)
        write_events(tx, {store::worker_reactivated_event(params.worker)});
    for (const auto& batch :
         batches_by_task(params.progress.size(), [&](std::size_t i) { return params.progress[i].lease.task; }))
        save_progress_of(tx, params.worker, params.progress, batch, limits);

    auto answer = store::compare_leases(params.held, leases_of(tx, params.worker));
    count_unlisted(tx, answer.unlisted, false);
    count_unlisted(tx, answer.listed_again, true);
    answer.cordoned = worker[0].boolean(1);
    answer.drain = worker[0].boolean(2);
    answer.rank = rank;
    answer.beat = worker[0].integer(3);
    return answer;
}

RemoveStatus remove_in(Transaction& tx, const Uuid& worker, const std::string& who) {
    const auto row = tx.run("SELECT status, name FROM holdfast.worker WHERE id = $1 FOR UPDATE", worker);
    if (row.empty()) return RemoveStatus::NotFound;
    if (row[0].text(0) != "inactive") return RemoveStatus::StillActive;
    if (!leases_of(tx, worker).empty()) return RemoveStatus::HoldsLeases;
    tx.run("DELETE FROM holdfast.worker WHERE id = $1", worker);
    tx.run("DELETE FROM holdfast.claim WHERE worker_id = $1", worker);
    write_events(tx, {store::worker_removed_event(worker, row[0].string(1), who)});
    return RemoveStatus::Removed;
}

}  // namespace

store::RegisterAnswer PostgresStore::register_worker(const store::WorkerRegistration& worker) {
    store::check_worker(worker);
    const auto& host = worker.host;
    const auto answers = beats_.run(
        {{"SELECT holdfast.register_worker($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
          "$17)",
          Params(worker.id, worker.name, host.hostname, host.boot_id, static_cast<std::int64_t>(host.pid_namespace),
                 host.pid, static_cast<std::int64_t>(host.start_time), host.keeper_pid,
                 static_cast<std::int64_t>(host.keeper_start_time), worker.version, worker.queues, worker.tags,
                 worker.capacity, worker.beat_interval, worker.fence_after, word_of(worker.via), worker.secret_hash)},
         rank_command()},
        Effect::Writes);
    if (worker.via == store::Via::Store) hold_session(worker.id);  // a server's connections serve many workers
    return {.number = answers[0][0].integer(0), .rank = answers[1][0].integer(0)};
}

void PostgresStore::hold_session(const Uuid& worker) {
    if (!params_.session_liveness) return;
    beats_.with_connection([&](Connection& connection) {
        if (connection.is_pooled()) return true;  // the session is another one in the next transaction
        auto& generation = sessions_[worker];
        if (generation == connection.generation()) return true;
        connection.run(
            std::vector<Command>{{"SELECT pg_advisory_lock_shared(holdfast.session_key($1))", Params(worker)}});
        generation = connection.generation();
        return true;
    });
}

void PostgresStore::release_session(const Uuid& worker) {
    if (!params_.session_liveness) return;
    beats_.with_connection([&](Connection& connection) {
        const auto held = sessions_.find(worker);
        if (held == sessions_.end()) return true;
        if (held->second == connection.generation())
            connection.run(
                std::vector<Command>{{"SELECT pg_advisory_unlock_shared(holdfast.session_key($1))", Params(worker)}});
        sessions_.erase(held);
        return true;
    });
}

bool PostgresStore::deregister_worker(const Uuid& worker) {
    const auto changed = transact([&](Transaction& tx) {
        // FOR UPDATE waits for a claim of the worker that is under way: from here on its leases can be seen.
        tx.run("SELECT FROM holdfast.worker WHERE id = $1 FOR UPDATE", worker);
        return tx.run("UPDATE holdfast.worker SET status = 'inactive', held = '[]' WHERE id = $1", worker).affected();
    });
    release_session(worker);
    return changed == 1;
}

store::BeatAnswer PostgresStore::beat(const store::BeatParams& params) {
    if (params.proves_session) hold_session(params.worker);
    return beats_.transact([&](Transaction& tx) { return beat_in(tx, params, params_.limits); });
}

void PostgresStore::note_disconnected(const std::vector<Uuid>& workers) {
    std::vector<Uuid> sorted = workers;
    std::sort(sorted.begin(), sorted.end());
    beats_.transact([&](Transaction& tx) {
        for (const Uuid& worker : sorted)
            tx.run(R"sql(UPDATE holdfast.worker SET disconnected_at_beat = beat
                         WHERE id = $1 AND via = 'server' AND status <> 'inactive')sql",
                   worker);
        return true;
    });
}

bool PostgresStore::note_exited(const Uuid& worker) {
    return beats_.transact([&](Transaction& tx) {
        return tx.run(R"sql(UPDATE holdfast.worker SET exited_at_beat = beat
                            WHERE id = $1 AND via = 'server' AND status <> 'inactive')sql",
                      worker)
                   .affected() == 1;
    });
}

std::vector<store::WorkerRecord> PostgresStore::workers() {
    return work_.all("SELECT " HOLDFAST_LIVENESS_COLUMNS
                     ", cordoned, drain_requested, version, queues, tags, capacity, secret_hash, registered_at,"
                     " last_heartbeat, held::text, holdfast.now() FROM holdfast.worker w ORDER BY number",
                     store::read_worker);
}

bool PostgresStore::order_worker(const store::OrderParams& params) {
    store::check_remark(params.who);
    return transact([&](Transaction& tx) {
        const bool drain = params.order == store::WorkerOrder::Drain;
        const auto worker =
            tx.run("SELECT cordoned, drain_requested FROM holdfast.worker WHERE id = $1 FOR UPDATE", params.worker);
        if (worker.empty()) return false;
        const store::WorkerMarks before{.cordoned = worker[0].boolean(0), .drains = worker[0].boolean(1)};
        const auto changed =
            drain ? tx.run("UPDATE holdfast.worker SET drain_requested = true WHERE id = $1", params.worker)
                  : tx.run("UPDATE holdfast.worker SET cordoned = $2 WHERE id = $1", params.worker,
                           params.order == store::WorkerOrder::Cordon);
        if (changed.affected() == 0) return false;
        write_events(tx, {store::worker_ordered_event(params, before)});
        tx.brings_work = true;
        tx.gives_orders = true;
        return true;
    });
}

RemoveStatus PostgresStore::remove_worker(const Uuid& worker, const std::string& who) {
    store::check_remark(who);
    return transact([&](Transaction& tx) { return remove_in(tx, worker, who); });
}

void PostgresStore::append_worker_snapshot(const store::WorkerSnapshot& snapshot) {
    work_.write("INSERT INTO holdfast.worker_state (" HOLDFAST_SNAPSHOT_COLUMNS
                ") VALUES ($1, holdfast.now(), $2, $3, $4, $5, $6, $7)",
                snapshot.worker, snapshot.running, snapshot.claimed, snapshot.capacity, snapshot.cpu_percent,
                snapshot.memory_mb, snapshot.load);
}

std::vector<store::WorkerSnapshot> PostgresStore::worker_snapshots(const Uuid& worker, std::size_t limit) {
    return work_.all("SELECT " HOLDFAST_SNAPSHOT_COLUMNS
                     " FROM holdfast.worker_state WHERE worker_id = $1 ORDER BY id DESC LIMIT $2",
                     store::read_as<store::WorkerSnapshot>, worker, limit);
}

}  // namespace holdfast::postgres
