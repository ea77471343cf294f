#include "store/admission.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

/// The leases that a turn ends: those of its runs, then those that it hands back.
struct EndedLeases {
    std::vector<store::FinishedRun> runs;
    const std::vector<store::TaskLease>& returned;

    [[nodiscard]] std::size_t size() const { return runs.size() + returned.size(); }
    [[nodiscard]] bool is_run(std::size_t index) const { return index < runs.size(); }
    [[nodiscard]] const store::TaskLease& operator[](std::size_t index) const {
        return is_run(index) ? runs[index].lease : returned[index - runs.size()];
    }
    [[nodiscard]] std::vector<Batch> batches() const {
        return batches_by_task(size(), [&](std::size_t i) { return (*this)[i].task; });
    }
};

namespace {

using store::Fenced;
using store::FinishedRun;
using store::FinishOutcome;
using store::TaskLease;
using store::TurnAnswer;
using store::TurnParams;

Fenced read_fenced(std::string_view text) {
    if (text == "applied") return Fenced::Applied;
    if (text == "already") return Fenced::Already;
    return text == "withdrawn" ? Fenced::Withdrawn : Fenced::LeaseLost;
}

Command start_command(const std::vector<TaskLease>& leases, const Batch& batch) {
    Array<Uuid> tasks;
    Array<std::int64_t> numbers;
    for (const auto index : batch) {
        tasks.add(leases[index].task);
        numbers.add(leases[index].lease);
    }
    return {"SELECT holdfast.start_leases($1, $2)", Params(tasks, numbers)};
}

void read_starts(const Rows& rows, const Batch& batch, std::vector<Fenced>& starts) {
    const auto answers = rows[0].strings(0);
    for (std::size_t i = 0; i < batch.size(); ++i) starts[batch[i]] = read_fenced(answers[i]);
}

std::vector<Batch> batches_of(const std::vector<TaskLease>& leases) {
    return batches_by_task(leases.size(), [&](std::size_t i) { return leases[i].task; });
}

Command complete_command(const std::vector<FinishedRun>& runs, const Batch& batch) {
    Array<Uuid> tasks;
    Array<std::int64_t> leases;
    Array<std::string_view> results;
    for (const auto index : batch) {
        tasks.add(runs[index].lease.task);
        leases.add(runs[index].lease.lease);
        results.add(runs[index].result);
    }
    return {"SELECT holdfast.complete($1, $2, $3)", Params(tasks, leases, results)};
}

/// Runs that were not applied: finished before, or too late. What comes too late is evidence: it is noted.
void answer_refused(Transaction& tx, const std::vector<FinishedRun>& runs, const Batch& refused, const Uuid& worker,
                    std::vector<FinishOutcome>& outcomes) {
    std::vector<TaskLease> leases;
    for (const auto index : refused) leases.push_back(runs[index].lease);
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

/// Hand-backs that were not applied: handed back before, or the lease is lost.
void answer_kept(Transaction& tx, const EndedLeases& ended, const Batch& kept, std::vector<Fenced>& answers) {
    std::vector<Uuid> tasks;
    for (const auto index : kept) tasks.push_back(ended[index].task);
    const auto places = find_places(tx, tasks);
    for (const auto index : kept) {
        const auto found = places.find(ended[index].task);
        const bool was_handed_back = found != places.end() && found->second.last_lease == ended[index].lease;
        answers[index - ended.runs.size()] = was_handed_back ? Fenced::Already : Fenced::LeaseLost;
    }
}

/// All that the transaction is going to lock, at once: leases come before jobs in the order of locks.
std::unordered_map<Uuid, LockedLease> lock_all(Transaction& tx, const EndedLeases& ended, const Batch& batch,
                                               const std::vector<TaskLease>& to_start) {
    std::vector<Uuid> tasks;
    for (const auto index : batch) tasks.push_back(ended[index].task);
    for (const auto& lease : to_start) tasks.push_back(lease.task);
    return lock_leases(tx, tasks);
}

void end_in(Transaction& tx, const std::unordered_map<Uuid, LockedLease>& leases, const EndedLeases& ended,
            const Batch& batch, const Uuid& worker, TurnAnswer& answer) {
    LeaseEndings endings;
    Batch refused, kept;
    for (const auto index : batch) {
        const auto found = leases.find(ended[index].task);
        const bool is_held = found != leases.end() && found->second.lease == ended[index];
        if (ended.is_run(index) && is_held && found->second.started) {
            const auto& run = ended.runs[index];
            answer.finished[index] = {Fenced::Applied,
                                      endings.end(found->second, {run.end, run.result, run.error, run.jitter})};
        } else if (ended.is_run(index)) {
            refused.push_back(index);
        } else if (is_held && !found->second.started) {
            endings.end(found->second, {core::LeaseEnd::NotStarted, "", {}, 0.5});
            answer.handed_back[index - ended.runs.size()] = Fenced::Applied;
        } else {
            kept.push_back(index);
        }
    }
    answer_refused(tx, ended.runs, refused, worker, answer.finished);
    answer_kept(tx, ended, kept, answer.handed_back);
    endings.apply(tx);
}

void start_in(Transaction& tx, const std::vector<TaskLease>& leases, std::vector<Fenced>& starts) {
    for (const auto& batch : batches_of(leases)) read_starts(tx.run(start_command(leases, batch)), batch, starts);
}

bool all_completed(const EndedLeases& ended, const Batch& batch) {
    return std::ranges::all_of(batch, [&](std::size_t index) {
        return ended.is_run(index) && ended.runs[index].end == core::LeaseEnd::Completed;
    });
}

}  // namespace

TurnAnswer PostgresStore::turn(const TurnParams& params) {
    EndedLeases ended{{}, params.hand_back};
    ended.runs.reserve(params.finish.size());
    for (const auto& run : params.finish) ended.runs.push_back(store::storable(run, params_.limits));
    TurnAnswer answer{.finished = std::vector<FinishOutcome>(ended.runs.size()),
                      .handed_back = std::vector<Fenced>(params.hand_back.size(), Fenced::LeaseLost),
                      .started = std::vector<Fenced>(params.start.size())};
    auto batches = ended.batches();
    if (batches.empty() && !params.start.empty()) batches.emplace_back();
    // The starts and the claim ride with the last of the ends that free their runners.
    for (std::size_t i = 0; i < batches.size(); ++i)
        end_batch(params, ended, batches[i], i + 1 == batches.size(), answer);
    if (batches.empty() && params.claims()) answer.claimed = claim(params);
    return answer;
}

void PostgresStore::end_batch(const TurnParams& params, const EndedLeases& ended, const Batch& batch, bool is_last,
                              TurnAnswer& answer) {
    if (complete(params, ended, batch, is_last, answer)) return;
    const auto to_start = is_last ? params.start : std::vector<TaskLease>{};
    const auto claim_with_it = is_last && params.claims() ? claim_commands(params) : std::vector<Command>{};
    std::vector<Rows> claimed;
    last_finish_was_of_steps_ = transact([&](Transaction& tx) {
        tx.who = params.worker.to_string();
        const auto leases = lock_all(tx, ended, batch, to_start);
        end_in(tx, leases, ended, batch, params.worker, answer);
        start_in(tx, to_start, answer.started);
        advance_jobs(tx);  // the next steps of jobs can be claimed at once
        // Keys are locked in their order; a claim that locked more of them could wait for another one in a circle.
        claimed = claim_with_it.empty() || tx.frees_keys ? std::vector<Rows>{} : tx.run(claim_with_it);
        return std::ranges::any_of(leases, [](const auto& held) { return held.second.is_step; });
    });
    if (claim_with_it.empty()) return;
    auto answered = claimed.empty() ? std::nullopt : read_claim(params, claimed);
    answer.claimed = answered ? std::move(*answered) : claim(params);
}

bool PostgresStore::complete(const TurnParams& params, const EndedLeases& ended, const Batch& batch, bool is_last,
                             TurnAnswer& answer) {
    const auto start_batches = is_last ? batches_of(params.start) : std::vector<Batch>{};
    if (!all_completed(ended, batch) || start_batches.size() > 1 || (is_last && params.claims())) return false;
    if (last_finish_was_of_steps_ && !batch.empty()) return false;
    std::vector<Command> commands;
    if (!batch.empty()) commands.push_back(complete_command(ended.runs, batch));
    if (!start_batches.empty()) commands.push_back(start_command(params.start, start_batches.front()));
    try {
        const auto answers = work_.run(commands, Effect::Writes);
        if (!start_batches.empty()) read_starts(answers.back(), start_batches.front(), answer.started);
        for (const auto index : batch) answer.finished[index] = {Fenced::Applied, TaskState::Completed};
        if (!batch.empty()) bell_.ring({.work = answers[0][0].boolean(0), .done = true});
        return true;
    } catch (const Overtaken&) {
        return false;
    }
}

}  // namespace holdfast::postgres
