#include "store/admission.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

using store::Fenced;
using store::FinishAnswer;
using store::FinishedRun;
using store::FinishOutcome;
using store::FinishParams;
using store::TaskLease;

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

std::vector<Batch> batches_of(const std::vector<FinishedRun>& runs) {
    return batches_by_task(runs.size(), [&](std::size_t i) { return runs[i].lease.task; });
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

/// All that the transaction is going to lock, at once: leases come before jobs in the order of locks.
std::unordered_map<Uuid, LockedLease> lock_all(Transaction& tx, const std::vector<FinishedRun>& runs,
                                               const Batch& batch, const std::vector<TaskLease>& then_start) {
    std::vector<Uuid> tasks;
    for (const auto index : batch) tasks.push_back(runs[index].lease.task);
    for (const auto& lease : then_start) tasks.push_back(lease.task);
    return lock_leases(tx, tasks);
}

void finish_in(Transaction& tx, const std::unordered_map<Uuid, LockedLease>& leases,
               const std::vector<FinishedRun>& runs, const Batch& batch, const Uuid& worker,
               std::vector<FinishOutcome>& outcomes) {
    LeaseEndings endings;
    Batch refused;
    for (const auto index : batch) {
        const auto& run = runs[index];
        const auto found = leases.find(run.lease.task);
        const bool is_current = found != leases.end() && found->second.lease == run.lease && found->second.started;
        if (is_current)
            outcomes[index] = {Fenced::Applied,
                               endings.end(found->second, {run.end, run.result, run.error, run.jitter})};
        else
            refused.push_back(index);
    }
    answer_refused(tx, runs, refused, worker, outcomes);
    endings.apply(tx);
}

bool all_completed(const std::vector<FinishedRun>& runs, const Batch& batch) {
    return std::all_of(batch.begin(), batch.end(),
                       [&](std::size_t index) { return runs[index].end == core::LeaseEnd::Completed; });
}

void start_in(Transaction& tx, const std::vector<TaskLease>& leases, std::vector<Fenced>& starts) {
    for (const auto& batch : batches_of(leases)) read_starts(tx.run(start_command(leases, batch)), batch, starts);
}

}  // namespace

std::vector<Fenced> PostgresStore::start(const store::LeasesParams& params) {
    std::vector<Fenced> starts(params.leases.size());
    for (const auto& batch : batches_of(params.leases))
        read_starts(work_.run({start_command(params.leases, batch)}, Effect::Writes).front(), batch, starts);
    return starts;
}

FinishAnswer PostgresStore::finish(const FinishParams& params) {
    std::vector<FinishedRun> runs;
    runs.reserve(params.runs.size());
    for (const auto& run : params.runs) runs.push_back(store::storable(run, params_.limits));
    FinishAnswer answer{std::vector<FinishOutcome>(runs.size()), std::vector<Fenced>(params.then_start.size())};
    auto batches = batches_of(runs);
    if (batches.empty() && !params.then_start.empty()) batches.emplace_back();
    for (std::size_t i = 0; i < batches.size();
         ++i)  // the starts ride with the last of the runs that free their runners
        finish_batch(params, runs, batches[i], i + 1 == batches.size() && !params.then_start.empty(), answer);
    return answer;
}

void PostgresStore::finish_batch(const FinishParams& params, const std::vector<FinishedRun>& runs, const Batch& batch,
                                 bool with_starts, FinishAnswer& answer) {
    if (!batch.empty() && complete(params, runs, batch, with_starts, answer)) return;
    last_finish_was_of_steps_ = transact([&](Transaction& tx) {
        tx.who = params.worker.to_string();
        const auto leases = lock_all(tx, runs, batch, with_starts ? params.then_start : std::vector<TaskLease>{});
        finish_in(tx, leases, runs, batch, params.worker, answer.runs);
        if (with_starts) start_in(tx, params.then_start, answer.starts);
        return std::any_of(leases.begin(), leases.end(), [](const auto& held) { return held.second.is_step; });
    });
}

bool PostgresStore::complete(const FinishParams& params, const std::vector<FinishedRun>& runs, const Batch& batch,
                             bool with_starts, FinishAnswer& answer) {
    const auto start_batches = with_starts ? batches_of(params.then_start) : std::vector<Batch>{};
    if (last_finish_was_of_steps_ || !all_completed(runs, batch) || start_batches.size() > 1) return false;
    std::vector<Command> commands{complete_command(runs, batch)};
    if (with_starts) commands.push_back(start_command(params.then_start, start_batches.front()));
    try {
        const auto answers = work_.run(commands, Effect::Writes);
        if (with_starts) read_starts(answers[1], start_batches.front(), answer.starts);
        for (const auto index : batch) answer.runs[index] = {Fenced::Applied, TaskState::Completed};
        const bool brings_work = answers[0][0].boolean(0);
        bell_.ring({.work = brings_work, .done = true});
        return true;
    } catch (const Overtaken&) {
        return false;
    }
}

std::vector<Fenced> PostgresStore::hand_back(const store::LeasesParams& params) {
    std::vector<Fenced> answers(params.leases.size(), Fenced::LeaseLost);
    for (const auto& batch : batches_of(params.leases)) {
        transact([&](Transaction& tx) {
            tx.who = params.worker.to_string();
            std::vector<Uuid> tasks;
            for (const auto index : batch) tasks.push_back(params.leases[index].task);
            const auto leases = lock_leases(tx, tasks);
            LeaseEndings endings;
            std::vector<Uuid> rest;
            for (const auto index : batch) {
                const auto found = leases.find(params.leases[index].task);
                const bool is_held = found != leases.end() && found->second.lease == params.leases[index];
                if (is_held && !found->second.started) {
                    endings.end(found->second, {core::LeaseEnd::NotStarted, "", {}, 0.5});
                    answers[index] = Fenced::Applied;
                } else if (!is_held) {
                    rest.push_back(params.leases[index].task);
                }
            }
            auto places = find_places(tx, rest);
            for (const auto index : batch)
                if (const auto found = places.find(params.leases[index].task); found != places.end())
                    answers[index] =
                        found->second.last_lease == params.leases[index].lease ? Fenced::Already : Fenced::LeaseLost;
            endings.apply(tx);
            return true;
        });
    }
    return answers;
}

}  // namespace holdfast::postgres
