#include "store/admission.h"
#include "store/beat_answer.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::RemoveStatus;
using store::WorkerStatus;

/// What the beat needs of the worker's row before it is changed.
struct BeatingWorker {
    WorkerStatus status;
    bool cordoned;
    bool drain_requested;
    std::int64_t beat;
};
auto columns_of(BeatingWorker& worker) {
    return std::tie(worker.status, worker.cordoned, worker.drain_requested, worker.beat);
}

std::optional<BeatingWorker> find_beating(Database& db, const Uuid& worker) {
    return db.first("SELECT status, cordoned, drain_requested, beat FROM worker WHERE id = ?",
                    store::read_as<BeatingWorker>, worker);
}

std::vector<store::StoredLease> leases_of(Database& db, const Uuid& worker) {
    return db.all(R"sql(SELECT task_id, lease, nullif(stop_requested, 'pause'), unlisted_beats FROM lease
                        WHERE worker_id = ? ORDER BY task_id, lease)sql",
                  store::read_as<store::StoredLease>, worker);
}

store::BeatAnswer beat_in(Transaction& tx, const BeatingWorker& worker, const store::BeatParams& params,
                          const store::Limits& limits) {
    const auto held = store::encode_held(params.held);
    // There are no sessions here: a row that claimed to prove one would make the worker look disconnected.
    tx.db.run(
        R"sql(UPDATE worker SET beat = beat + 1, status = ?, last_heartbeat = ?, proves_session = 0, held = ?
              WHERE id = ?)sql",
        word_of(params.status), tx.now, held, params.worker);
    if (worker.status == WorkerStatus::Inactive && params.status == WorkerStatus::Active)
        write_event(tx, store::worker_reactivated_event(params.worker));
    if (params.keep_history)
        tx.db.run(R"sql(INSERT INTO beat_history (worker_id, sent_at, hostname, pid, held)
                        SELECT id, ?2, hostname, pid, ?3 FROM worker WHERE id = ?1)sql",
                  params.worker, tx.now, held);
    for (const auto& report : params.progress) save_progress_of(tx, params.worker, report, limits);

    auto answer = store::compare_leases(params.held, leases_of(tx.db, params.worker));
    for (const auto& lease : answer.unlisted)
        tx.db.run("UPDATE lease SET unlisted_beats = unlisted_beats + 1 WHERE task_id = ?", lease.task);
    for (const auto& lease : answer.listed_again)
        tx.db.run("UPDATE lease SET unlisted_beats = 0 WHERE task_id = ?", lease.task);
    answer.rank = tx.incarnation.rank;
    answer.beat = worker.beat + 1;
    answer.drain = worker.drain_requested;
    answer.cordoned = worker.cordoned;
    return answer;
}

RemoveStatus remove_in(Transaction& tx, const Uuid& worker, const std::string& who) {
    const auto row = find_beating(tx.db, worker);
    if (!row) return RemoveStatus::NotFound;
    if (row->status != WorkerStatus::Inactive) return RemoveStatus::StillActive;
    if (!leases_of(tx.db, worker).empty()) return RemoveStatus::HoldsLeases;
    const auto name = tx.db.first("SELECT name FROM worker WHERE id = ?", store::read_as<std::string>, worker);
    tx.db.run("DELETE FROM worker WHERE id = ?", worker);
    tx.db.run("DELETE FROM claim WHERE worker_id = ?", worker);
    write_event(tx, store::worker_removed_event(worker, name.value_or(""), who));
    return RemoveStatus::Removed;
}

}  // namespace

store::RegisterAnswer SqliteStore::register_worker(const store::WorkerRegistration& worker) {
    store::check_worker(worker);
    return write_beat([&](Transaction& tx) {
        const Descriptor made_before_it_is_locked = open_beside(path_, store::life_lock_suffix);
        const auto& host = worker.host;
        tx.db.run(
            R"sql(INSERT INTO worker (id, number, name, status, hostname, boot_id, pid_namespace, pid,
                    start_time, keeper_pid, keeper_start_time, version, queues, tags, capacity,
                    beat_interval_us, fence_after_us, registered_at, via, secret_hash)
                  VALUES (?1, (SELECT last + 1 FROM worker_number), ?2, 'active', ?3, ?4, ?5, ?6, ?7, ?8, ?9,
                    ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
                  ON CONFLICT (id) DO UPDATE SET name = ?2, status = 'active', hostname = ?3, boot_id = ?4,
                    pid_namespace = ?5, pid = ?6, start_time = ?7, keeper_pid = ?8, keeper_start_time = ?9,
                    version = ?10, queues = ?11, tags = ?12, capacity = ?13, beat_interval_us = ?14,
                    fence_after_us = ?15)sql",
            worker.id, worker.name, host.hostname, host.boot_id, static_cast<std::int64_t>(host.pid_namespace),
            host.pid, static_cast<std::int64_t>(host.start_time), host.keeper_pid,
            static_cast<std::int64_t>(host.keeper_start_time), worker.version, store::encode_strings(worker.queues),
            store::encode_strings(worker.tags), worker.capacity, worker.beat_interval, worker.fence_after, tx.now,
            word_of(worker.via), worker.secret_hash);
        const store::RegisterAnswer answer{tx.db.number("SELECT number FROM worker WHERE id = ?", worker.id),
                                           tx.incarnation.rank};
        tx.db.run("UPDATE worker_number SET last = ?1 WHERE last < ?1", answer.number);
        return answer;
    });
}

bool SqliteStore::deregister_worker(const Uuid& worker) {
    return write([&](Transaction& tx) {
        return tx.db.run("UPDATE worker SET status = 'inactive', held = '[]' WHERE id = ?", worker) == 1;
    });
}

store::BeatAnswer SqliteStore::beat(const store::BeatParams& params) {
    return write_beat([&](Transaction& tx) {
        const auto worker = find_beating(tx.db, params.worker);
        // That the row is missing does not prove that the file has gone back: it may have been removed.
        if (!worker)
            return store::BeatAnswer{
                .known = false, .rank = tx.incarnation.rank, .lost = {}, .stop = {}, .unlisted = {}};
        hear_beat(tx, params.acknowledged, worker->beat);
        return beat_in(tx, *worker, params, limits_);
    });
}

void SqliteStore::note_disconnected(const std::vector<Uuid>& workers) {
    write_beat([&](Transaction& tx) {
        std::int64_t changed = 0;
        for (const Uuid& worker : workers)
            changed += tx.db.run(R"sql(UPDATE worker SET disconnected_at_beat = beat
                                       WHERE id = ? AND via = 'server' AND status <> 'inactive')sql",
                                 worker);
        return changed;
    });
}

bool SqliteStore::note_exited(const Uuid& worker) {
    return write_beat([&](Transaction& tx) {
        return tx.db.run(R"sql(UPDATE worker SET exited_at_beat = beat
                               WHERE id = ? AND via = 'server' AND status <> 'inactive')sql",
                         worker) == 1;
    });
}

std::vector<store::WorkerRecord> SqliteStore::workers() {
    return work_.all("SELECT " HOLDFAST_LIVENESS_COLUMNS
                     ", cordoned, drain_requested, version, queues, tags, capacity, secret_hash,"
                     " registered_at, last_heartbeat, held, ? FROM worker w ORDER BY number",
                     store::read_worker, clock_.now());
}

bool SqliteStore::order_worker(const store::OrderParams& params) {
    store::check_remark(params.who);
    return write([&](Transaction& tx) {
        const auto worker = find_beating(tx.db, params.worker);
        if (!worker) return false;
        const bool drain = params.order == store::WorkerOrder::Drain;
        const auto changed = drain ? tx.db.run("UPDATE worker SET drain_requested = 1 WHERE id = ?", params.worker)
                                   : tx.db.run("UPDATE worker SET cordoned = ? WHERE id = ?",
                                               params.order == store::WorkerOrder::Cordon, params.worker);
        if (changed == 0) return false;
        write_event(tx, store::worker_ordered_event(
                            params, {.cordoned = worker->cordoned, .drains = worker->drain_requested}));
        tx.brings_work = true;
        tx.gives_orders = true;
        return true;
    });
}

RemoveStatus SqliteStore::remove_worker(const Uuid& worker, const std::string& who) {
    store::check_remark(who);
    return write([&](Transaction& tx) { return remove_in(tx, worker, who); });
}

void SqliteStore::append_worker_snapshot(const store::WorkerSnapshot& snapshot) {
    write([&](Transaction& tx) {
        return tx.db.run("INSERT INTO worker_state (" HOLDFAST_SNAPSHOT_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                         snapshot.worker, tx.now, snapshot.running, snapshot.claimed, snapshot.capacity,
                         snapshot.cpu_percent, snapshot.memory_mb, snapshot.load);
    });
}

std::vector<store::WorkerSnapshot> SqliteStore::worker_snapshots(const Uuid& worker, std::size_t limit) {
    return work_.all("SELECT " HOLDFAST_SNAPSHOT_COLUMNS
                     " FROM worker_state WHERE worker_id = ? ORDER BY id DESC LIMIT ?",
                     store::read_as<store::WorkerSnapshot>, worker, limit);
}

}  // namespace holdfast::sqlite
