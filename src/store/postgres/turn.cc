#include "store/admission.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

using store::Fenced;
using store::FinishedRun;
using store::FinishOutcome;
using store::TaskLease;
using store::TurnAnswer;
using store::TurnParams;

Command start_command(const Uuid& worker, const std::vector<TaskLease>& leases, const Batch& batch) {
    auto params =
        columns(batch, [&](std::size_t index) { return std::tuple(leases[index].task, leases[index].lease); });
    params.add(worker);
    return {
        "SELECT starts FROM holdfast.turn($3, '{}', '{}', '{}', $1, $2, NULL, 0, 0, 0, '{}', '{}', 0, '{}', false, "
        "0, 0)",
        std::move(params)};
}

void read_starts(const Rows& rows, int column, const Batch& batch, std::vector<Fenced>& starts) {
    const auto answers = rows[0].strings(column);
    for (std::size_t i = 0; i < batch.size(); ++i) starts[batch[i]] = read_fenced(answers[i]);
}

std::vector<Batch> batches_of(const std::vector<TaskLease>& leases) {
    return batches_by_task(leases.size(), [&](std::size_t i) { return leases[i].task; });
}

std::vector<Batch> batches_of(const std::vector<FinishedRun>& runs) {
    return batches_by_task(runs.size(), [&](std::size_t i) { return runs[i].lease.task; });
}

TurnPart part_of(const TurnParams& params, const std::vector<FinishedRun>& runs, const Batch& ended,
                 const Batch& to_start, bool claims) {
    TurnPart part{.claims = claims};
    for (const auto index : ended) {
        part.ended.add(runs[index].lease.task);
        part.ended_leases.add(runs[index].lease.lease);
        part.results.add(runs[index].result);
    }
    for (const auto index : to_start) {
        part.to_start.add(params.start[index].task);
        part.to_start_leases.add(params.start[index].lease);
    }
    return part;
}

/// Runs that were not applied: finished before, or too late. What comes too late is evidence: it is noted.
void answer_refused(Transaction& tx, const std::vector<FinishedRun>& runs, const Batch& refused, const Uuid& worker,
                    std::vector<FinishOutcome>& outcomes) {
    std::vector<LeaseOfWorker> leases;
    for (const auto index : refused) leases.push_back({runs[index].lease, worker});
    const auto ends = earlier_ends(tx, leases);
    std::vector<store::NewEvent> events;
    for (std::size_t i = 0; i < refused.size(); ++i) {
        const auto& run = runs[refused[i]];
        // A different end was not reported by this worker, but by a sweeper or by a person with force.
        const bool is_same_call = ends[i].run_end == run.end;
        outcomes[refused[i]] =
            is_same_call ? FinishOutcome{Fenced::Already, *ends[i].state} : FinishOutcome{Fenced::LeaseLost, {}};
        if (!is_same_call && ends[i].task_is_known) events.push_back(store::late_result_event(run, worker));
    }
    write_events(tx, events);
}

/// The same for leases that ended without a run, which leaves a mark only where the task waits to be claimed again.
void answer_returned(Transaction& tx, const std::vector<FinishedRun>& runs, const Batch& refused,
                     std::vector<FinishOutcome>& outcomes) {
    std::vector<Uuid> tasks;
    for (const auto index : refused) tasks.push_back(runs[index].lease.task);
    const auto places = find_places(tx, tasks);
    for (const auto index : refused) {
        const auto found = places.find(runs[index].lease.task);
        const bool was_returned = found != places.end() && found->second.last_lease == runs[index].lease.lease;
        outcomes[index] =
            was_returned ? FinishOutcome{Fenced::Already, TaskState::Pending} : FinishOutcome{Fenced::LeaseLost, {}};
    }
}

/// All that the transaction is going to lock, at once: leases come before jobs in the order of locks. `looks_ahead`:
/// the runs are likely to be of steps; reads in the same round trip what their jobs will ask for.
std::unordered_map<Uuid, LockedLease> lock_all(Transaction& tx, const std::vector<FinishedRun>& runs,
                                               const Batch& batch, const std::vector<TaskLease>& to_start,
                                               bool looks_ahead) {
    std::vector<Uuid> ended, tasks;
    for (const auto index : batch) ended.push_back(runs[index].lease.task);
    tasks = ended;
    for (const auto& lease : to_start) tasks.push_back(lease.task);
    std::vector<Command> commands{lock_command(tasks)};
    // A start changes jobs, so that what is read before it may be out of date.
    if (looks_ahead && to_start.empty()) std::ranges::move(ahead_commands(ended), std::back_inserter(commands));
    const auto answers = tx.run(std::move(commands));
    if (answers.size() > 1) tx.ahead = read_ahead(ended, answers, 1);
    return read_leases(answers.front());
}

void finish_in(Transaction& tx, const std::unordered_map<Uuid, LockedLease>& leases,
               const std::vector<FinishedRun>& runs, const Batch& batch, const Uuid& worker,
               std::vector<FinishOutcome>& outcomes) {
    LeaseEndings endings;
    Batch refused, refused_returns;
    std::vector<Uuid> proven_starts;
    for (const auto index : batch) {
        const auto& run = runs[index];
        const bool without_run = run.end == core::LeaseEnd::NotStarted;
        const auto* const found = find_held(leases, run.lease, worker);
        if (!found) {
            (without_run ? refused_returns : refused).push_back(index);
            continue;
        }
        auto held = *found;
        // The run proves the start: it is in a part of history that the store has lost.
        if (!held.started && !without_run) proven_starts.push_back(run.lease.task);
        held.started = true;
        outcomes[index] = {Fenced::Applied, endings.end(held, {run.end, run.result, run.error, run.jitter})};
    }
    if (!proven_starts.empty()) {
        tx.run("SELECT holdfast.mark_started($1)", proven_starts);
        tx.ahead = {};  // it has begun jobs
    }
    answer_refused(tx, runs, refused, worker, outcomes);
    answer_returned(tx, runs, refused_returns, outcomes);
    endings.apply(tx);
}

void start_in(Transaction& tx, const Uuid& worker, const std::vector<TaskLease>& leases,
              std::vector<Fenced>& starts) {
    for (const auto& batch : batches_of(leases))
        tx.later(start_command(worker, leases, batch),
                 [batch, &starts](const Rows& rows) { read_starts(rows, 0, batch, starts); });
}

void hand_back_in(Transaction& tx, const Uuid& worker, const std::vector<TaskLease>& returned, const Batch& batch,
                  std::vector<Fenced>& answers) {
    std::vector<Uuid> tasks;
    for (const auto index : batch) tasks.push_back(returned[index].task);
    const auto leases = lock_leases(tx, tasks);
    LeaseEndings endings;
    Batch kept;
    std::vector<Uuid> kept_tasks;
    for (const auto index : batch) {
        const auto* const held = find_held(leases, returned[index], worker);
        if (held && !held->started) {
            endings.end(*held, {core::LeaseEnd::NotStarted, "", {}, 0.5});
            answers[index] = Fenced::Applied;
        } else {
            kept.push_back(index);
            kept_tasks.push_back(returned[index].task);
        }
    }
    const auto places = find_places(tx, kept_tasks);
    for (const auto index : kept) {
        const auto found = places.find(returned[index].task);
        const bool was_handed_back = found != places.end() && found->second.last_lease == returned[index].lease;
        answers[index] = was_handed_back ? Fenced::Already : Fenced::LeaseLost;
    }
    endings.apply(tx);
}

bool all_completed(const std::vector<FinishedRun>& runs, const Batch& batch) {
    return std::ranges::all_of(batch, [&](std::size_t i) { return runs[i].end == core::LeaseEnd::Completed; });
}

}  // namespace

TurnAnswer PostgresStore::turn(const TurnParams& params) {
    std::vector<FinishedRun> runs;
    runs.reserve(params.finish.size());
    for (const auto& run : params.finish) runs.push_back(store::storable(run, params_.limits));
    TurnAnswer answer{.finished = std::vector<FinishOutcome>(runs.size()),
                      .handed_back = std::vector<Fenced>(params.hand_back.size()),
                      .started = std::vector<Fenced>(params.start.size())};
    auto batches = batches_of(runs);
    if (batches.empty() && !params.start.empty()) batches.emplace_back();
    // The starts and the claim ride with the last of the runs that free their runners.
    for (std::size_t i = 0; i < batches.size(); ++i)
        finish_batch(params, runs, batches[i], i + 1 == batches.size(), answer);
    if (batches.empty() && params.claims()) answer.claimed = claim(params);
    for (const auto& batch : batches_of(params.hand_back))
        transact([&](Transaction& tx) {
            tx.who = params.worker.to_string();
            hand_back_in(tx, params.worker, params.hand_back, batch, answer.handed_back);
            return true;
        });
    return answer;
}

void PostgresStore::finish_batch(const TurnParams& params, const std::vector<FinishedRun>& runs, const Batch& batch,
                                 bool is_last, TurnAnswer& answer) {
    if (complete(params, runs, batch, is_last, answer)) return;
    const auto to_start = is_last ? params.start : std::vector<TaskLease>{};
    const auto claim_with_it =
        is_last && params.claims() ? turn_commands(params, {.claims = true}) : std::vector<Command>{};
    std::vector<Rows> claimed;
    last_finish_was_of_steps_ = transact([&](Transaction& tx) {
        tx.who = params.worker.to_string();
        claimed.clear();
        const auto leases = lock_all(tx, runs, batch, to_start, last_finish_was_of_steps_);
        finish_in(tx, leases, runs, batch, params.worker, answer.finished);
        start_in(tx, params.worker, to_start, answer.started);
        advance_jobs(tx);  // the next steps of jobs can be claimed at once
        for (const auto& command : claim_with_it)
            tx.later(command, [&](Rows rows) { claimed.push_back(std::move(rows)); });
        return std::ranges::any_of(leases, [](const auto& held) { return held.second.is_step; });
    });
    if (claim_with_it.empty()) return;
    auto answered = read_claim(params, claimed);
    answer.claimed = answered ? std::move(*answered) : claim(params);
}

bool PostgresStore::complete(const TurnParams& params, const std::vector<FinishedRun>& runs, const Batch& batch,
                             bool is_last, TurnAnswer& answer) {
    const auto start_batches = is_last ? batches_of(params.start) : std::vector<Batch>{};
    if (!all_completed(runs, batch) || start_batches.size() > 1) return false;
    if (last_finish_was_of_steps_ && !batch.empty()) return false;
    const bool claims = is_last && params.claims();
    const Batch to_start = start_batches.empty() ? Batch{} : start_batches.front();
    std::vector<Rows> answers;
    try {
        answers = work_.run(turn_commands(params, part_of(params, runs, batch, to_start, claims)), Effect::Writes);
    } catch (const Overtaken&) {
        return false;
    }
    const auto& head = answers.front();
    for (const auto index : batch) answer.finished[index] = {Fenced::Applied, TaskState::Completed};
    if (!to_start.empty()) read_starts(head, 6, to_start, answer.started);
    if (!batch.empty()) bell_.ring({.work = head[0].boolean(5), .done = true});
    if (!claims) return true;
    auto claimed = read_claim(params, answers);
    answer.claimed = claimed ? std::move(*claimed) : claim(params);
    return true;
}

}  // namespace holdfast::postgres
