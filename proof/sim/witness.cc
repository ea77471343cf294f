#include "proof/sim/witness.h"

#include <algorithm>

#include "base/text.h"
#include "engine/fence.h"
#include "proof/sim/process.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

Witness::Witness(World& world)
    : jobs(world, *this, reader_),
      schedules(world, *this, reader_),
      submits(world, *this),
      world_(world),
      reader_(world.database) {}

void Witness::complain(const std::string& promise, const std::string& what) {
    violations_.push_back({promise, what, world_.timeline.now()});
    world_.trace.line(world_.timeline.now(), "VIOLATION", concat(promise, ": ", what));
}

void Witness::applied(Process& process, const Change& change) {
    if (world_.disk.power_cuts > world_.power_cuts_seen) return add_doubt(change);
    compare(&process, change, Certainty::Sure);
}

void Witness::failed(Process& process, const Change& change, bool in_doubt) {
    if (in_doubt) add_doubt(change);
    if (change.verb == "recover") sweeps_[key_of(process)].failed_to_recover = process.monotonic();
    if (world_.disk.power_cuts > world_.power_cuts_seen) return;  // checked when the power is back
    compare(&process, change, in_doubt ? Certainty::InDoubt : Certainty::None);
}

/// A commit that was written but not synced is invisible to others. It may reappear when the log is read again after
/// a power cut, until the next commit takes its place in the log. Of two commits about the same row the later one
/// counts.
void Witness::add_doubt(const Change& change) {
    for (const auto& [task, end] : change.ends) doubts_.ends.insert_or_assign(task, end);
    for (const auto& [task, start] : change.starts) doubts_.starts.insert_or_assign(task, start);
    for (const auto& [worker, request] : change.claims_for) doubts_.claims_for.insert_or_assign(worker, request);
    doubts_.forces.insert(change.forces.begin(), change.forces.end());
}

void Witness::power_failed() {
    reader_.close();
    doubts_.verb = "call before the power cut";
    compare(nullptr, doubts_, Certainty::InDoubt);
    doubts_ = {};
    look_at_everything("after a power cut");
}

void Witness::submitted(const std::vector<store::NewTask>& tasks, const std::vector<store::SubmitOutcome>& outcomes) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        TrueTask* task = world_.ledger.find(tasks[i].id);
        if (task == nullptr) continue;
        const bool is_there = outcomes[i].status == SubmitStatus::Accepted ||
                              (outcomes[i].status == SubmitStatus::Existing && outcomes[i].id == tasks[i].id);
        if (is_there) task->in_store = true;
    }
}

void Witness::compare(Process* process, const Change& change, Certainty certainty) {
    if (!reader_.open(world_.disk)) return;
    LeasePicture before = std::exchange(picture_, reader_.leases());
    notice_rollover(before);
    for (const auto& [task, sight] : before) {
        const auto now = picture_.find(task);
        const bool went = now == picture_.end() || now->second.lease.lease != sight.lease.lease;
        if (certainty == Certainty::None && (went || !(now->second == sight)))
            complain("Store contract",
                     concat(change.verb, " failed, and yet changed the lease of ", world_.ledger.name_of(task)));
        if (went) lease_went(process, change, sight);
        if (!went) lease_changed(change, sight, now->second);
    }
    last_lease_ = newest_lease_;
    for (const auto& [task, sight] : picture_) {
        if (sight.started) started_.insert(sight.lease.lease);
        const auto earlier = before.find(task);
        if (earlier != before.end() && earlier->second.lease.lease == sight.lease.lease) continue;
        if (certainty == Certainty::None)
            complain("Store contract", concat(change.verb, " failed, and yet handed out ",
                                              world_.ledger.name_of(task), "#", sight.lease.lease));
        lease_appeared(change, sight);
    }
    if (certainty == Certainty::Sure && before != picture_) doubts_ = {};
    if (certainty == Certainty::Sure) check_said(change, before);
    check_crashes();
    if (certainty == Certainty::Sure && change.verb == "recover") check_recovered_once(*process, change);
    if (!change.marks_lost.empty() && certainty == Certainty::Sure) check_mark(*process, change);
    if (change.prunes) look_at_everything("after pruning");
}

void Witness::lease_appeared(const Change& change, const LeaseSight& sight) {
    const std::string name = concat(world_.ledger.name_of(sight.lease.task), "#", sight.lease.lease);
    check_number(sight, name);
    newest_lease_ = std::max(newest_lease_, sight.lease.lease);
    appeared_[sight.lease.lease] = world_.timeline.now();
    const auto claim = change.claims_for.find(sight.worker);
    if (claim != change.claims_for.end()) requests_[sight.lease.lease] = claim->second;
    if (claim == change.claims_for.end())
        complain("P3", concat(name, " was given to ", name_of_worker(sight.worker), " by a ", change.verb,
                              " that did not ask for it"));
    if (endings_.contains(sight.lease.task)) complain("P5", concat(name, " was handed out after its task had ended"));
}

void Witness::lease_went(Process* process, const Change& change, const LeaseSight& sight) {
    const std::string name = concat(world_.ledger.name_of(sight.lease.task), "#", sight.lease.lease);
    const PlaceSight place = reader_.place_of(sight.lease.task);
    if (place.ending) note_ending(sight.lease.task, *place.ending);
    if (change.forces.contains(sight.lease.task)) {
        if (!place.ending) complain("P5", concat(name, " was forced, and has not ended"));
        return;
    }
    const auto end = change.ends.find(sight.lease.task);
    if (end == change.ends.end() || end->second.lease != sight.lease.lease || end->second.worker != sight.worker)
        return complain("P3", concat(name, " ended by a ", change.verb, " that does not name it"));
    check_settlement(sight, end->second, place);
    check_delivery(change, sight, end->second);
    if (process == nullptr) return;
    if (change.verb == "recover") {
        check_verdict(*process, sight, end->second);
        check_event_of_verdict(sight, place);
    } else {
        check_outcome(sight, end->second);
    }
}

void Witness::lease_changed(const Change& change, const LeaseSight& before, const LeaseSight& after) {
    const std::string name = concat(world_.ledger.name_of(after.lease.task), "#", after.lease.lease);
    if (before.worker != after.worker) complain("P3", concat(name, " changed its worker"));
    if (before.started == after.started) return;
    const auto start = change.starts.find(after.lease.task);
    if (before.started) complain("P4", concat(name, " is not started any more"));
    if (start == change.starts.end() || start->second.lease != after.lease.lease ||
        start->second.worker != after.worker)
        complain("P3", concat(name, " was started by a ", change.verb, " that does not name it"));
}

/// The answer of a call agrees with what the call changed.
void Witness::check_said(const Change& change, const LeasePicture& before) {
    check_said_of_ends(change, before);
    check_said_of_starts(change, before);
}

void Witness::check_said_of_ends(const Change& change, const LeasePicture& before) {
    for (const auto& [task, end] : change.ends) {
        const bool was_current = is_current(before, {task, end.lease}, end.worker);
        const bool is_still = is_current(picture_, {task, end.lease}, end.worker);
        const std::string name = concat(world_.ledger.name_of(task), "#", end.lease);
        if (end.said_applied && !was_current)
            complain("P3", concat(change.verb, " of ", name, " by ", name_of_worker(end.worker),
                                  " was applied, though that was not its lease"));
        if (end.said_applied && change.verb == "turn" && end.end != core::LeaseEnd::NotStarted)
            finished_[{end.lease, end.worker}] = {end.end, world_.timeline.now()};
        if (end.said_applied && is_still)
            complain("Store contract", concat(change.verb, " of ", name, " was said to be applied, and was not"));
        if (!end.said_refused || !was_current) continue;
        if (!is_still) complain("Store contract", concat(change.verb, " of ", name, " was refused, and was applied"));
        // A verdict is also refused when the state that it rests on has changed.
        const bool had_to_be_taken =
            change.verb != "recover" && before.at(task).started == (end.end != core::LeaseEnd::NotStarted);
        if (is_still && had_to_be_taken)
            complain("Store contract", concat(change.verb, " of ", name, " was refused, though that is its lease"));
    }
}

void Witness::check_said_of_starts(const Change& change, const LeasePicture& before) {
    for (const auto& [task, start] : change.starts) {
        const bool was_current = is_current(before, {task, start.lease}, start.worker);
        const bool was_started = was_current && before.at(task).started;
        const bool is_still = is_current(picture_, {task, start.lease}, start.worker);
        const bool is_started = is_still && picture_.at(task).started;
        const std::string name = concat(world_.ledger.name_of(task), "#", start.lease);
        if (start.said_started && !is_started)
            complain("P4", concat(change.verb, " says that ", name, " is started, and it is not"));
        if ((start.said_refused || start.said_withdrawn) && is_started && !was_started)
            complain("P4", concat(change.verb, " of ", name, " was refused, and its start is committed"));
        if (start.said_refused && was_current && is_still)
            complain("Store contract", concat(change.verb, " of ", name, " was refused, though that is its lease"));
    }
}

void Witness::met(const store::NewTask& task) {
    if (world_.ledger.find(task.id) == nullptr) world_.ledger.add(task).in_store = true;
}

/// A repeated claim is answered with the leases that it was granted, whatever happened to its worker.
void Witness::claim_answered(Process& process, const store::TurnParams& params, const store::ClaimAnswer& answer) {
    if (answer.refusal == store::ClaimRefusal::UnknownWorker) return;
    for (const store::ClaimedTask& task : answer.tasks)
        if (task.lease <= params.highest_lease.number &&
            !is_current(picture_, {task.task.id, task.lease}, params.worker))
            complain("Going back", concat(process.name(), " had seen lease ", params.highest_lease.number,
                                          ", and was given ", task.lease));
    for (const auto& [task, sight] : picture_) {
        const auto request = requests_.find(sight.lease.lease);
        if (request == requests_.end() || request->second != params.request) continue;
        const bool is_told =
            std::ranges::find(answer.tasks, sight.lease.lease, &store::ClaimedTask::lease) != answer.tasks.end();
        if (!is_told)
            complain("Store contract",
                     concat(process.name(), " asked again what it was granted, and was not told of ",
                            world_.ledger.name_of(task), "#", sight.lease.lease));
    }
}

std::optional<Uuid> Witness::holder_of(const store::TaskLease& lease) const {
    const auto current = picture_.find(lease.task);
    if (current == picture_.end() || current->second.lease.lease != lease.lease) return std::nullopt;
    return current->second.worker;
}

bool Witness::is_current(const LeasePicture& picture, const store::TaskLease& lease, const Uuid& worker) {
    const auto current = picture.find(lease.task);
    return current != picture.end() && current->second.lease == lease && current->second.worker == worker;
}

void Witness::wrote_for(const char* what, const Uuid& worker, const store::TaskLease& lease) {
    if (!is_current(picture_, lease, worker))
        complain("P3", concat(what, " of ", world_.ledger.name_of(lease.task), "#", lease.lease,
                              " were written, though that is not its lease"));
}

// ---- What really runs --------------------------------------------------------------------------------------------

bool Witness::run_begins(Process& process, const Uuid& worker, const engine::RunOrder& order) {
    const store::TaskLease& lease = order.lease;
    const std::string name = concat(world_.ledger.name_of(lease.task), "#", lease.lease);
    const bool holds = is_current(picture_, lease, worker);
    const bool is_forgotten = !holds && forgotten_.contains({lease.lease, worker});
    if (!is_forgotten && !started_.contains(lease.lease))
        complain("P4", concat(process.name(), " runs ", name, ", whose start is not committed"));
    if (const TrueRun* run = world_.ledger.run_of(lease.lease, worker); run != nullptr)
        complain("No attempt twice", concat(process.name(), " runs ", name, ", which ", run->worker, " has run"));
    TrueTask* task = world_.ledger.find(lease.task);
    if (task == nullptr) {
        complain("P4", concat(process.name(), " runs a task that nobody has submitted"));
        return false;
    }
    if (const auto kept = std::exchange(task->next_checkpoint, std::nullopt); kept && order.checkpoint != *kept)
        complain("Stopping", concat(process.name(), " runs ", name, " from the checkpoint '", order.checkpoint,
                                    "', but the run before it stopped cleanly at '", *kept, "'"));
    if (holds) jobs.step_begins(lease.task);
    if (!holds && !is_forgotten && engine::is_fenced(task->task) && !task->forced)
        complain("P7", concat(process.name(), " runs ", name, ", which is not its any more: others may run it too"));
    const TaskPolicy& policy = task->task.policy;
    const bool reruns = policy.on_crash == OnCrash::Requeue;
    const auto forgotten = static_cast<int>(
        std::ranges::count_if(task->runs, [&](std::size_t run) { return world_.ledger.runs()[run].is_forgotten; }));
    if (forgotten > 0) ++lost_.reruns;
    const int allowed =
        policy.retry.max_attempts + task->clean_stops + (reruns ? policy.max_crashes + task->stops : 0) + forgotten;
    if (task->runs.size() + 1 > static_cast<std::size_t>(allowed))
        complain("P4", concat(process.name(), " runs ", name, ": run ", task->runs.size() + 1,
                              " of a task whose policy allows ", allowed));
    return is_forgotten;
}

void Witness::check_overlap(const Uuid& task) {
    TrueTask* known = world_.ledger.find(task);
    if (known == nullptr || known->forced || known->task.policy.fence == Fence::Continue) return;
    if (world_.ledger.executing(task) > 1) complain("P7", concat(known->name, " runs twice at once"));
    if (!known->task.concurrency) return;
    check_key(known->task.queue, known->task.concurrency->key);
}

/// The limit of an undeclared key is at most what each of its tasks asked for: submits can only lower it.
void Witness::check_key(const std::string& queue, const std::string& key) {
    const auto shared = world_.plan.shared_keys.find(key);
    const bool is_shared = shared != world_.plan.shared_keys.end();
    const auto use = world_.ledger.executing_with_key(is_shared ? "" : queue, key);
    const int limit = is_shared ? shared->second : use.lowest_limit;
    if (use.running > limit)
        complain("Concurrency keys", concat(use.running, " tasks with ", key, is_shared ? " of all queues" : " of ",
                                            is_shared ? "" : queue, " run at once; the limit is ", limit));
}

}  // namespace holdfast::sim
