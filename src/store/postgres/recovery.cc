#include "store/admission.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::Fenced;
using store::RecoverOutcome;

bool mark_one(Transaction& tx, const store::LostWorker& lost) {
    // FOR UPDATE waits for a claim of the worker that is under way: from here on its leases can be seen.
    const auto row = tx.run("SELECT status, beat FROM holdfast.worker WHERE id = $1 FOR UPDATE", lost.worker);
    if (row.empty() || row[0].integer(1) != lost.beat) return false;
    if (row[0].text(0) == "inactive") return true;
    tx.run("UPDATE holdfast.worker SET status = 'inactive' WHERE id = $1", lost.worker);
    write_events(tx, {store::worker_lost_event(lost)});
    return true;
}

/// Answers verdicts that were not applied: the same verdict was applied before, and its answer may have been lost; or
/// the lease is another one.
void answer_refused(Transaction& tx, const store::RecoverParams& params, const Batch& refused,
                    std::vector<RecoverOutcome>& outcomes) {
    std::vector<LeaseOfWorker> leases;
    std::vector<Uuid> tasks;
    for (const auto index : refused) {
        leases.push_back({params.leases[index].lease, params.leases[index].worker});
        tasks.push_back(params.leases[index].lease.task);
    }
    const auto ends = earlier_ends(tx, leases);
    const auto places = find_places(tx, tasks);
    for (std::size_t i = 0; i < refused.size(); ++i) {
        const auto& verdict = params.leases[refused[i]];
        const auto place = places.find(verdict.lease.task);
        const bool was_taken_back = verdict.end == core::LeaseEnd::NotStarted && place != places.end() &&
                                    place->second.last_lease == verdict.lease.lease;
        const bool is_same_call = was_taken_back || ends[i].run_end == verdict.end;
        outcomes[refused[i]] = {is_same_call ? Fenced::Already : Fenced::LeaseLost, {}};
    }
}

void recover_in(Transaction& tx, const store::RecoverParams& params, const Batch& batch,
                std::vector<RecoverOutcome>& outcomes) {
    std::vector<Uuid> tasks;
    for (const auto index : batch) tasks.push_back(params.leases[index].lease.task);
    const auto leases = lock_leases(tx, tasks);
    LeaseEndings endings;
    Batch refused;
    std::vector<store::NewEvent> events;
    for (const auto index : batch) {
        const auto& verdict = params.leases[index];
        const auto* const held = find_held(leases, verdict.lease, verdict.worker);
        if (!held || held->started != verdict.expect_started) {
            refused.push_back(index);
            continue;
        }
        const auto state = endings.end(*held, {verdict.end, "", verdict.error, verdict.jitter, verdict.is_final});
        outcomes[index] = {Fenced::Applied, state};
        events.push_back(store::recovered_event(verdict, verdict.worker, state, params));
    }
    answer_refused(tx, params, refused, outcomes);
    endings.apply(tx);
    write_events(tx, events);
}

/// Locks the worker's row until the verdicts are on disk: a beat that comes meanwhile waits, and finds its leases
/// gone. Without a row, registrations wait instead, which take turns under the advisory lock.
bool has_come_back(Transaction& tx, const store::SilentWorker& silent) {
    if (!silent.beat) tx.run("SELECT pg_advisory_xact_lock(hashtextextended('holdfast.register_worker', 0))");
    const auto rows = tx.run("SELECT beat FROM holdfast.worker WHERE id = $1 FOR SHARE", silent.worker);
    const auto beat = rows.empty() ? std::nullopt : std::optional(rows[0].integer(0));
    return beat != silent.beat;
}

void ask_in(Transaction& tx, const store::AskToStopParams& params, const Batch& batch, std::vector<Fenced>& answers) {
    std::vector<Uuid> ids;
    for (const auto index : batch) ids.push_back(params.requests[index].lease.task);
    const auto rows = tx.run(Command{"SELECT task_id, worker_id FROM holdfast.request_stops($1, $2, $3)",
                                     columns(batch, [&](std::size_t index) {
                                         const auto& [lease, reason] = params.requests[index];
                                         return std::tuple(lease.task, lease.lease, word_of(reason));
                                     })});
    std::unordered_map<Uuid, Uuid> asked;
    for (const Row row : rows) asked[row.uuid(0)] = row.uuid(1);
    const auto held = asked.size() == batch.size() ? std::unordered_map<Uuid, LockedLease>() : lock_leases(tx, ids);
    std::vector<store::NewEvent> events;
    for (const auto index : batch) {
        const auto& request = params.requests[index];
        if (const auto worker = asked.find(request.lease.task); worker != asked.end()) {
            answers[index] = Fenced::Applied;
            events.push_back(store::stop_requested_event(request, worker->second, params));
        } else {
            const auto lease = held.find(request.lease.task);
            const bool is_held = lease != held.end() && lease->second.lease == request.lease;
            answers[index] = is_held ? Fenced::Already : Fenced::LeaseLost;
        }
    }
    write_events(tx, events);
    tx.brings_work |= !asked.empty();
    tx.gives_orders |= !asked.empty();
}

}  // namespace

store::LivenessView PostgresStore::look() {
    const auto answers = beats_.run(
        {{"SELECT concat_ws(' ', pg_postmaster_start_time(), i.rank, i.nonce) FROM holdfast.incarnation i", {}},
         {"SELECT " HOLDFAST_LIVENESS_COLUMNS ", s.key IS NOT NULL FROM holdfast.worker w"
          " LEFT JOIN (SELECT DISTINCT key FROM holdfast.session_locks) s ON s.key = holdfast.session_key(w.id)"
          " WHERE w.status <> 'inactive' OR EXISTS (SELECT FROM holdfast.lease l WHERE l.worker_id = w.id)"
          " ORDER BY w.number",
          {}},
         // From one owner of leases to the next, so that it costs what there are workers, however much they hold.
         {R"sql(WITH RECURSIVE owner (id) AS (
                  (SELECT worker_id FROM holdfast.lease ORDER BY worker_id LIMIT 1)
                  UNION ALL
                  SELECT (SELECT l.worker_id FROM holdfast.lease l WHERE l.worker_id > o.id
                    ORDER BY l.worker_id LIMIT 1)
                  FROM owner o WHERE o.id IS NOT NULL)
                SELECT o.id FROM owner o
                WHERE o.id IS NOT NULL AND NOT EXISTS (SELECT FROM holdfast.worker w WHERE w.id = o.id)
                ORDER BY o.id)sql",
          {}}},
        Effect::Reads);
    store::LivenessView view;
    view.store_epoch = answers[0][0].string(0);
    view.workers = answers[1].all([](const Row& row) {
        auto worker = store::read_as<store::WorkerLiveness>(row);
        worker.session_held = row.boolean(18);
        return worker;
    });
    view.unregistered = answers[2].all(store::read_id);
    return view;
}

std::vector<bool> PostgresStore::mark_lost(const std::vector<store::LostWorker>& workers) {
    std::vector<bool> marked;
    for (const auto& worker : workers)
        marked.push_back(transact([&](Transaction& tx) { return mark_one(tx, worker); }));
    return marked;
}

std::vector<store::LeaseRecord> PostgresStore::leases(const store::FindLeasesParams& params) {
    return work_.all(R"sql(SELECT l.task_id, l.lease, l.worker_id, l.claimed_at, l.started_at, l.concurrency_key,
                             l.attempts, l.crashes, l.requeues, l.stop_requested, l.unlisted_beats, t.name,
                             t.policy::text, t.spec
                           FROM holdfast.lease l JOIN holdfast.task t ON t.id = l.task_id
                           WHERE ($1 IS NULL OR l.worker_id = $1) AND ($2 IS NULL OR l.task_id > $2)
                           ORDER BY l.task_id LIMIT $3)sql",
                     store::read_lease_record, params.worker, params.after, params.limit);
}

std::vector<RecoverOutcome> PostgresStore::recover(const store::RecoverParams& params) {
    std::vector<RecoverOutcome> outcomes(params.leases.size());
    for (const auto& batch :
         batches_by_task(params.leases.size(), [&](std::size_t i) { return params.leases[i].lease.task; }))
        transact([&](Transaction& tx) {
            tx.who = params.who;
            if (params.only_while_silent && has_come_back(tx, *params.only_while_silent)) {
                for (const auto index : batch) outcomes[index] = {Fenced::LeaseLost, {}};
            } else {
                recover_in(tx, params, batch, outcomes);
            }
            return true;
        });
    return outcomes;
}

std::vector<Fenced> PostgresStore::ask_to_stop(const store::AskToStopParams& params) {
    std::vector<Fenced> answers(params.requests.size());
    for (const auto& batch :
         batches_by_task(params.requests.size(), [&](std::size_t i) { return params.requests[i].lease.task; }))
        transact([&](Transaction& tx) {
            ask_in(tx, params, batch, answers);
            return true;
        });
    return answers;
}

store::SweepLeaseAnswer PostgresStore::sweep_lease(const std::string& holder, Duration expiry) {
    constexpr Sql read_holder =
        "SELECT CASE WHEN expires > holdfast.now() THEN holder ELSE '' END FROM holdfast.sweep_lease";
    const bool gives_up = expiry <= Duration::zero();
    // Giving up what another holds only asks for the holder, which users who only read may do, too.
    if (gives_up)
        if (const auto current = work_.read(read_holder); current[0].text(0) != holder)
            return {false, current[0].string(0)};
    // An expiry too far in the future was written before the clock was set back: it has lapsed, too.
    const auto rows = work_.run({{R"sql(UPDATE holdfast.sweep_lease
                SET holder = CASE WHEN $3 THEN '' ELSE $1 END,
                    expires = CASE WHEN $3 THEN timestamptz 'epoch'
                                   ELSE holdfast.now() + $2 * interval '1 microsecond' END
                WHERE holder = $1
                   OR ((expires <= holdfast.now()
                     OR expires > holdfast.now() + 2 * $2 * interval '1 microsecond') AND NOT $3))sql",
                                  Params(holder, expiry, gives_up)},
                                 {read_holder, {}}},
                                Effect::Writes);
    return {!gives_up && rows[1][0].text(0) == holder, rows[1][0].string(0)};
}

void PostgresStore::note_sweep(const store::SweepNote& note) {
    work_.write("INSERT INTO holdfast.sweep_note (" HOLDFAST_NOTE_COLUMNS
                ") VALUES ($1, $2, holdfast.now(), $3, $4)"
                " ON CONFLICT (service) DO UPDATE SET who = excluded.who, at = excluded.at, did = excluded.did,"
                " failure = excluded.failure",
                note.service, note.who, note.did, store::readable_text(note.failure, store::max_failure_bytes));
}

std::vector<store::SweepNote> PostgresStore::sweep_notes() {
    return work_.all("SELECT " HOLDFAST_NOTE_COLUMNS " FROM holdfast.sweep_note ORDER BY service COLLATE \"C\"",
                     store::read_as<store::SweepNote>);
}

}  // namespace holdfast::postgres
