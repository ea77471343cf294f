#include "base/text.h"
#include "proof/sim/faulty_store.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

namespace {

using store::Fenced;

/// The wall clock is so far ahead until this goes.
class ClockAhead {
public:
    ClockAhead(World& world, Duration ahead) : world_(world) { world_.clock_ahead = ahead; }
    ~ClockAhead() { world_.clock_ahead = {}; }
    ClockAhead(const ClockAhead&) = delete;
    ClockAhead& operator=(const ClockAhead&) = delete;

private:
    World& world_;
};

/// Notes the answers of a batch in the ends of the change, in the order of the leases.
template <typename Answers, typename LeaseOf, typename FencedOf>
void note_ends(Change& change, const Answers& answers, const LeaseOf& lease_of, const FencedOf& fenced_of) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const store::TaskLease lease = lease_of(i);
        Change::End& end = change.ends[lease.task];
        if (end.lease != lease.lease) continue;
        end.said_applied = fenced_of(answers[i]) == Fenced::Applied;
        end.said_refused = fenced_of(answers[i]) == Fenced::LeaseLost;
    }
}

void note_starts(Change& change, const std::vector<store::TaskLease>& leases, const std::vector<Fenced>& answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const bool is_started = answers[i] == Fenced::Applied || answers[i] == Fenced::Already;
        Change::Start& start = change.starts[leases[i].task];
        if (start.lease != leases[i].lease) continue;
        start.said_started = is_started;
        start.said_refused = answers[i] == Fenced::LeaseLost;
        start.said_withdrawn = answers[i] == Fenced::Withdrawn;
    }
}

std::string list_of(Ledger& ledger, const std::vector<store::TaskLease>& leases) {
    std::string text;
    for (const store::TaskLease& lease : leases)
        text += concat(text.empty() ? "" : ", ", ledger.name_of(lease.task), "#", lease.lease);
    return text;
}

}  // namespace

std::vector<store::SubmitOutcome> FaultyStore::submit(const std::vector<store::NewTask>& tasks) {
    World& world = process_.world();
    Change change = Change::writing("submit", concat(tasks.size(), " from ", world.ledger.name_of(tasks.front().id)));
    change.brings_work = true;
    return perform(std::move(change), Lasting{[tasks](store::Store& store) { return store.submit(tasks); }},
                   [&](const std::vector<store::SubmitOutcome>& outcomes, Change&) {
                       world.witness.submitted(tasks, outcomes);
                   });
}

std::vector<store::CancelStatus> FaultyStore::cancel(const store::CancelParams& params) {
    Change change = Change::writing("cancel", process_.world().ledger.name_of(params.tasks.front()));
    change.brings_work = true;
    change.gives_orders = true;
    return perform(std::move(change), Lasting{[params](store::Store& store) { return store.cancel(params); }});
}

std::vector<store::ForceStatus> FaultyStore::force(const store::ForceParams& params) {
    World& world = process_.world();
    Change change = Change::writing("force", world.ledger.name_of(params.tasks.front()));
    change.forces.insert(params.tasks.begin(), params.tasks.end());
    change.gives_orders = true;
    for (const Uuid& task : params.tasks)
        if (TrueTask* known = world.ledger.find(task)) known->forced = true;
    return perform(std::move(change), Lasting{[params](store::Store& store) { return store.force(params); }});
}

store::TurnAnswer FaultyStore::turn(const store::TurnParams& params) {
    Ledger& ledger = process_.world().ledger;
    Change change = Change::writing("turn");
    change.worker = params.worker;
    // Two leases of a task may be named: the one that a store which went back knows, and the one that it has
    // forgotten.
    const auto add_end = [&](const store::TaskLease& lease, Change::End end) {
        end.lease = lease.lease;
        end.worker = params.worker;
        const bool is_held = process_.world().witness.holder_of(lease) == params.worker;
        if (is_held || !change.ends.contains(lease.task)) change.ends.insert_or_assign(lease.task, std::move(end));
    };
    for (const store::FinishedRun& run : params.finish) {
        add_end(run.lease, {.end = run.end, .code = run.error.code});
        change.add(concat("finish ", ledger.name_of(run.lease.task), "#", run.lease.lease, " ", word_of(run.end)));
    }
    for (const store::TaskLease& lease : params.hand_back) add_end(lease, {.end = core::LeaseEnd::NotStarted});
    for (const store::TaskLease& lease : params.start)
        change.starts[lease.task] = {.lease = lease.lease, .worker = params.worker};
    if (!params.hand_back.empty()) change.add(concat("hand back ", list_of(ledger, params.hand_back)));
    if (!params.start.empty()) change.add(concat("start ", list_of(ledger, params.start)));
    if (params.claims()) {
        change.claims_for[params.worker] = params.request;
        change.add(concat("claim ", params.to_start, ", hold ", params.to_hold));
    }
    change.brings_work = !change.ends.empty();
    return perform(std::move(change), Lasting{[params](store::Store& store) { return store.turn(params); }},
                   [&](const store::TurnAnswer& answer, Change& made) { note_turn(params, answer, made); });
}

void FaultyStore::note_turn(const store::TurnParams& params, const store::TurnAnswer& answer, Change& made) {
    note_ends(
        made, answer.finished, [&](std::size_t i) { return params.finish[i].lease; },
        [](const store::FinishOutcome& outcome) { return outcome.fenced; });
    note_ends(
        made, answer.handed_back, [&](std::size_t i) { return params.hand_back[i]; },
        [](Fenced fenced) { return fenced; });
    note_starts(made, params.start, answer.started);
    if (!params.claims()) return;
    std::vector<store::TaskLease> leases;
    for (const store::ClaimedTask& task : answer.claimed.tasks) {
        process_.world().witness.met(task.task);
        leases.push_back({task.task.id, task.lease});
    }
    process_.world().witness.claim_answered(process_, params, answer.claimed);
    made.grants = !leases.empty();
    made.detail += concat("): ", list_of(process_.world().ledger, leases), "(");
}

std::vector<Fenced> FaultyStore::save_progress(const Uuid& worker,
                                               const std::vector<store::ProgressReport>& reports) {
    return perform(Change::writing("save_progress", std::to_string(reports.size())),
                   Lasting{[worker, reports](store::Store& store) { return store.save_progress(worker, reports); }},
                   [&](const std::vector<Fenced>& answers, Change&) {
                       for (std::size_t i = 0; i < answers.size(); ++i)
                           if (answers[i] == Fenced::Applied)
                               process_.world().witness.wrote_for("progress", worker, reports[i].lease);
                   });
}

std::vector<Fenced> FaultyStore::append_logs(const Uuid& worker, const std::vector<store::LogChunk>& chunks) {
    return perform(Change::writing("append_logs", std::to_string(chunks.size())),
                   Lasting{[worker, chunks](store::Store& store) { return store.append_logs(worker, chunks); }},
                   [&](const std::vector<Fenced>& answers, Change&) {
                       for (std::size_t i = 0; i < answers.size(); ++i)
                           if (answers[i] == Fenced::Applied)
                               process_.world().witness.wrote_for("logs", worker, {chunks[i].task, chunks[i].lease});
                   });
}

store::RegisterAnswer FaultyStore::register_worker(const store::WorkerRegistration& worker) {
    Change change = Change::writing("register_worker");
    change.worker = worker.id;
    return perform(std::move(change),
                   Lasting{[worker](store::Store& store) { return store.register_worker(worker); }},
                   [&](const store::RegisterAnswer&, Change&) { process_.world().witness.registered(worker.id); });
}

store::BeatAnswer FaultyStore::beat(const store::BeatParams& params) {
    Change change = Change::writing("beat", concat(params.held.size(), " held"));
    change.worker = params.worker;
    return perform(std::move(change), Lasting{[params](store::Store& store) { return store.beat(params); }},
                   [&](const store::BeatAnswer& answer, Change& made) {
                       process_.world().witness.beat_came(process_, params, answer);
                       if (!answer.lost.empty())
                           made.detail += concat("; lost ", list_of(process_.world().ledger, answer.lost));
                       if (!answer.unlisted.empty())
                           made.detail += concat("; unlisted ", list_of(process_.world().ledger, answer.unlisted));
                       if (!answer.stop.empty()) made.detail += concat("; stop ", answer.stop.size());
                   });
}

bool FaultyStore::order_worker(const store::OrderParams& params) {
    Change change = Change::writing("order_worker");
    change.gives_orders = true;
    return perform(std::move(change), Lasting{[params](store::Store& store) { return store.order_worker(params); }});
}

store::LivenessView FaultyStore::look() {
    auto view = perform(Change::reading("look"), [](store::Store& store) { return store.look(); });
    process_.world().witness.looked(process_);
    return view;
}

std::vector<bool> FaultyStore::mark_lost(const std::vector<store::LostWorker>& workers) {
    Change change = Change::writing("mark_lost", workers.front().evidence);
    for (const store::LostWorker& lost : workers) change.marks_lost.insert(lost.worker);
    change.judges = change.marks_lost;
    change.evidence = workers.front().data;
    return perform(std::move(change), Lasting{[workers](store::Store& store) { return store.mark_lost(workers); }},
                   [&](const std::vector<bool>& answers, Change& made) {
                       for (std::size_t i = 0; i < answers.size(); ++i)
                           if (answers[i]) made.marked_lost.insert(workers[i].worker);
                   });
}

std::vector<store::RecoverOutcome> FaultyStore::recover(const store::RecoverParams& params) {
    Ledger& ledger = process_.world().ledger;
    Change change = Change::writing("recover");
    for (const store::RecoveredLease& each : params.leases) {
        change.ends[each.lease.task] = {.lease = each.lease.lease,
                                        .worker = each.worker,
                                        .end = each.end,
                                        .code = each.error.code,
                                        .evidence = each.data,
                                        .is_final = each.is_final};
        change.detail += concat(change.detail.empty() ? "" : ", ", ledger.name_of(each.lease.task), "#",
                                each.lease.lease, " ", each.evidence);
        if (const auto holder = process_.world().witness.holder_of(each.lease)) change.judges.insert(*holder);
    }
    change.brings_work = true;
    return perform(std::move(change), Lasting{[params](store::Store& store) { return store.recover(params); }},
                   [&](const std::vector<store::RecoverOutcome>& answers, Change& made) {
                       note_ends(
                           made, answers, [&](std::size_t i) { return params.leases[i].lease; },
                           [](const store::RecoverOutcome& outcome) { return outcome.fenced; });
                   });
}

std::vector<Fenced> FaultyStore::ask_to_stop(const store::AskToStopParams& params) {
    Change change =
        Change::writing("ask_to_stop", process_.world().ledger.name_of(params.requests.front().lease.task));
    change.gives_orders = true;
    return perform(std::move(change), Lasting{[params](store::Store& store) { return store.ask_to_stop(params); }});
}

std::vector<bool> FaultyStore::reject(const store::RejectParams& params) {
    Change change = Change::writing("reject", concat(params.tasks.size()));
    return perform(std::move(change), Lasting{[params](store::Store& store) { return store.reject(params); }},
                   [&](const std::vector<bool>& answers, Change&) {
                       for (std::size_t i = 0; i < answers.size(); ++i)
                           if (answers[i]) process_.world().witness.rejected(process_, params.tasks[i]);
                   });
}

store::PruneAnswer FaultyStore::prune(const store::PruneParams& params) {
    Change change = Change::writing("prune");
    change.prunes = true;
    Duration ahead{};
    if (auto dice = process_.world().faults.strikes(Fault::ClockFarAhead, process_.name()))
        ahead = dice->between(Duration(std::chrono::hours(48)), Duration(std::chrono::hours(24 * 90)));
    return perform(
        std::move(change),
        [&](store::Store& store) {
            const ClockAhead wrong(process_.world(), ahead);
            return store.prune(params);
        },
        [](const store::PruneAnswer& answer, Change& made) { made.detail = answer.doubt; });
}

store::SweepLeaseAnswer FaultyStore::sweep_lease(const std::string& holder, Duration expiry) {
    return perform(Change::writing("sweep_lease"),
                   Lasting{[holder, expiry](store::Store& store) { return store.sweep_lease(holder, expiry); }},
                   [&](const store::SweepLeaseAnswer& answer, Change& made) {
                       process_.world().witness.asked_for_sweep_row(process_, answer.held);
                       made.detail = answer.held ? "held" : concat("held by ", answer.holder);
                   });
}

void FaultyStore::set_queue_paused(const std::string& queue, bool paused, const std::string& who) {
    Change change = Change::writing(paused ? "pause_queue" : "resume_queue", queue);
    change.brings_work = true;
    perform(std::move(change),
            Lasting{[queue, paused, who](store::Store& store) { store.set_queue_paused(queue, paused, who); }});
}

store::DeclareStatus FaultyStore::declare_key(const core::KeyDeclaration& key, const std::string& who) {
    Change change = Change::writing(
        "declare_key", concat(key.key, key.is_shared() ? ", shared, " : concat(" of ", key.queue, ", "), key.limit));
    change.brings_work = true;
    return perform(std::move(change),
                   Lasting{[key, who](store::Store& store) { return store.declare_key(key, who); }});
}

bool FaultyStore::remove_key(const std::string& key, const std::string& queue, const std::string& who) {
    Change change = Change::writing("remove_key", concat(key, queue.empty() ? "" : concat(" of ", queue)));
    change.brings_work = true;
    return perform(std::move(change),
                   Lasting{[key, queue, who](store::Store& store) { return store.remove_key(key, queue, who); }});
}

/// Wake-ups are simulated by the world: nobody waits at a real bell.
std::unique_ptr<store::Watch> FaultyStore::watch(store::Topic) {
    return nullptr;
}

}  // namespace holdfast::sim
