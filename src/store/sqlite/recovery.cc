#include "base/text.h"
#include "store/admission.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::Fenced;
using store::RecoverOutcome;

bool mark_one(Transaction& tx, const store::LostWorker& lost) {
    auto row = tx.db.query("SELECT status, beat FROM worker WHERE id = ?", lost.worker);
    if (!row.step() || row.integer(1) != lost.beat) return false;
    if (row.text(0) == "inactive") return true;
    tx.db.run("UPDATE worker SET status = 'inactive' WHERE id = ?", lost.worker);
    write_event(tx, store::worker_lost_event(lost));
    return true;
}

/// Already when the same verdict was applied before: the answer to it may have been lost.
RecoverOutcome refuse(Database& db, const store::RecoveredLease& verdict) {
    const bool was_ended = find_run_end(db, verdict.lease, verdict.worker) == verdict.end;
    const bool was_taken_back = verdict.end == core::LeaseEnd::NotStarted && was_put_back(db, verdict.lease);
    return {was_ended || was_taken_back ? Fenced::Already : Fenced::LeaseLost, {}};
}

RecoverOutcome recover_one(Transaction& tx, const store::RecoveredLease& verdict,
                           const store::RecoverParams& params) {
    const auto row = find_lease(tx.db, verdict.lease.task);
    const bool as_judged = row && row->lease.lease == verdict.lease.lease && row->worker == verdict.worker &&
                           row->started_at.has_value() == verdict.expect_started;
    if (!as_judged) return refuse(tx.db, verdict);
    const auto state = end_lease(tx, *row, {verdict.end, "", verdict.error, verdict.jitter, verdict.is_final});
    write_event(tx, store::recovered_event(verdict, row->worker, state, params));
    return {Fenced::Applied, state};
}

bool has_come_back(Database& db, const store::SilentWorker& silent) {
    return db.first("SELECT beat FROM worker WHERE id = ?", store::read_as<std::int64_t>, silent.worker) !=
           silent.beat;
}

Fenced ask_one(Transaction& tx, const store::StopRequest& request, const store::AskToStopParams& params) {
    const auto row = find_lease(tx.db, request.lease.task);
    if (!row || row->lease.lease != request.lease.lease) return Fenced::LeaseLost;
    if (row->stop_requested && !row->pause_requested) return Fenced::Already;
    tx.db.run("UPDATE lease SET stop_requested = ? WHERE task_id = ?", word_of(request.reason), request.lease.task);
    write_event(tx, store::stop_requested_event(request, row->worker, params));
    tx.brings_work = true;
    tx.gives_orders = true;
    return Fenced::Applied;
}

}  // namespace

store::LivenessView SqliteStore::look() {
    return beats_.read([](Database& db) {
        // A file has no server that restarts. Only its history may be another one.
        const auto incarnation = read_identity(db).incarnation;
        return store::LivenessView{
            .store_epoch = concat(incarnation.rank, " ", incarnation.nonce.to_string()),
            .workers = db.all("SELECT " HOLDFAST_LIVENESS_COLUMNS " FROM worker w"
                              " WHERE status <> 'inactive' OR id IN (SELECT worker_id FROM lease) ORDER BY number",
                              store::read_as<store::WorkerLiveness>),
            .unregistered = db.all(R"sql(SELECT DISTINCT worker_id FROM lease
                                         WHERE worker_id NOT IN (SELECT id FROM worker) ORDER BY 1)sql",
                                   store::read_id)};
    });
}

std::vector<bool> SqliteStore::mark_lost(const std::vector<store::LostWorker>& workers) {
    return write_each<bool>(workers, mark_one);
}

std::vector<store::LeaseRecord> SqliteStore::leases(const store::FindLeasesParams& params) {
    return work_.all(R"sql(SELECT l.task_id, l.lease, l.worker_id, l.claimed_at, l.started_at, l.concurrency_key,
                             l.attempts, l.crashes, l.requeues, l.stop_requested, l.unlisted_beats, t.name,
                             t.policy, t.spec
                           FROM lease l JOIN task t ON t.id = l.task_id
                           WHERE (?1 IS NULL OR l.worker_id = ?1) AND l.task_id > coalesce(?2, x'')
                           ORDER BY l.task_id LIMIT ?3)sql",
                     store::read_lease_record, params.worker, params.after, params.limit);
}

std::vector<RecoverOutcome> SqliteStore::recover(const store::RecoverParams& params) {
    return write_each<RecoverOutcome>(params.leases, [&](Transaction& tx, const store::RecoveredLease& lease) {
        tx.who = params.who;
        if (params.only_while_silent && has_come_back(tx.db, *params.only_while_silent))
            return RecoverOutcome{Fenced::LeaseLost, {}};
        return recover_one(tx, lease, params);
    });
}

std::vector<Fenced> SqliteStore::ask_to_stop(const store::AskToStopParams& params) {
    return write_each<Fenced>(params.requests, [&](Transaction& tx, const store::StopRequest& request) {
        return ask_one(tx, request, params);
    });
}

store::SweepLeaseAnswer SqliteStore::sweep_lease(const std::string& holder, Duration expiry) {
    constexpr Sql read_holder = "SELECT CASE WHEN expires > ? THEN holder ELSE '' END FROM sweep_lease";
    const bool gives_up = expiry <= Duration::zero();
    // Giving up what another holds only asks for the holder, and needs no turn to write.
    if (gives_up) {
        const auto current = work_.all(
            read_holder, [](const auto& row) { return row.string(0); }, clock_.now());
        if (current.at(0) != holder) return {false, current.at(0)};
    }
    return write([&](Transaction& tx) {
        // An expiry too far in the future was written before the clock was set back: it has lapsed, too.
        tx.db.run(
            R"sql(UPDATE sweep_lease SET holder = ?1, expires = ?2
                  WHERE holder = ?3 OR ((expires <= ?4 OR expires > ?5) AND ?6 = 0))sql",
            gives_up ? std::string_view() : std::string_view(holder), gives_up ? Timestamp() : tx.now + expiry,
            holder, tx.now, tx.now + 2 * expiry, gives_up);
        auto row = tx.db.query(read_holder, tx.now);
        row.step();
        return store::SweepLeaseAnswer{!gives_up && row.text(0) == holder, row.string(0)};
    });
}

void SqliteStore::note_sweep(const store::SweepNote& note) {
    const std::string failure = store::readable_text(note.failure, store::max_failure_bytes);
    write([&](Transaction& tx) {
        return tx.db.run("INSERT OR REPLACE INTO sweep_note (" HOLDFAST_NOTE_COLUMNS ") VALUES (?, ?, ?, ?, ?)",
                         note.service, note.who, tx.now, note.did, failure);
    });
}

std::vector<store::SweepNote> SqliteStore::sweep_notes() {
    return work_.all("SELECT " HOLDFAST_NOTE_COLUMNS " FROM sweep_note ORDER BY service",
                     store::read_as<store::SweepNote>);
}

}  // namespace holdfast::sqlite
