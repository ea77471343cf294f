#include <algorithm>

#include "base/text.h"
#include "proof/sim/process.h"
#include "proof/sim/witness.h"
#include "proof/sim/world.h"
#include "store/migration.h"

// What may happen late, and what may be lost: calls that their callers gave up, and a store that goes back in time.

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// A little less than workers keep the outcomes that were acknowledged.
constexpr Duration outcomes_are_kept_for = 55s;

}  // namespace

// ---- Calls that come late ----------------------------------------------------------------------------------------

void Witness::came_late(const LateCall& call) {
    const Change& change = call.change;
    const LeasePicture before = picture_;
    // The last claim that the store knows of the worker is this one again: it does not repeat what others granted.
    if (!change.claims_for.empty())
        for (const auto& [task, sight] : before)
            if (change.claims_for.contains(sight.worker)) requests_.erase(sight.lease.lease);
    compare(nullptr, change, Certainty::InDoubt);
    const auto worker = world_.workers.find(change.worker);
    if (change.verb == "beat" && worker != world_.workers.end()) worker->second.last_beat = world_.timeline.now();
    if (change.verb == "register_worker") registered(change.worker);
    if (change.verb != "recover") return;
    for (const auto& [task, end] : change.ends) {
        const bool went =
            is_current(before, {task, end.lease}, end.worker) && !is_current(picture_, {task, end.lease}, end.worker);
        const auto judged = world_.workers.find(end.worker);
        const bool is_refuted = judged != world_.workers.end() && judged->second.last_beat > call.made_at &&
                                end.evidence.find(R"("silent")") != std::string::npos;
        if (went && is_refuted)
            complain("P6", concat("a late verdict has ended ", world_.ledger.name_of(task), "#", end.lease, " of ",
                                  judged->second.process, " (", end.evidence, "), which has beaten since"));
    }
}

// ---- A store that goes back --------------------------------------------------------------------------------------

bool Witness::can_go_back() {
    return reader_.open(world_.disk) && reader_.schema_version() == sqlite::embedded_migrations().back().number;
}

std::int64_t Witness::rank() {
    return reader_.open(world_.disk) ? reader_.rank() : 0;
}

/// A rollover marks every lease as started: its start may be in the part that is lost.
void Witness::notice_rollover(LeasePicture& leases) {
    const std::int64_t now = rank();
    if (now <= rank_) return;
    rank_ = now;
    history_changed_at_ = world_.timeline.now();
    is_unnoticed_ = false;
    for (auto& [task, sight] : leases) {
        if (!sight.started && sight.stop_requested == "pause") sight.stop_requested.clear();
        sight.started = true;
    }
}

/// No number is ever given twice, and those of one history grow. Only a store that went back at its place cannot
/// know, until a worker that remembers more has called.
void Witness::check_number(const LeaseSight& sight, const std::string& name) {
    const store::Lease number = sight.lease.lease;
    if (number <= last_lease_)
        complain("Leases only grow", concat(name, " was handed out after lease ", last_lease_));
    if (!appeared_.contains(number)) return;
    if (!is_unnoticed_)
        return complain("Leases only grow", concat(name, " was handed out, and its number had been given before"));
    // What was noted about the number belongs to the lease that had it before.
    if (!sight.started) started_.erase(number);
    requests_.erase(number);
    crashes_.erase(number);
    recovered_by_.erase(number);
}

void Witness::went_back(bool at_its_place) {
    reader_.close();
    if (!reader_.open(world_.disk)) return;
    went_back_at_ = world_.timeline.now();
    history_changed_at_ = went_back_at_;
    is_unnoticed_ = at_its_place;
    doubts_ = {};
    rank_ = rank();
    last_lease_ = newest_lease_ = reader_.last_lease_number();
    const LeasePicture before = std::exchange(picture_, reader_.leases());
    const std::set<Uuid> tasks = reader_.tasks();
    lost_.jobs += jobs.went_back(at_its_place);
    forget_leases(before);
    forget_runs();
    forget_endings(tasks);
    forget_tasks(tasks, at_its_place);
    forget_workers();
    for (auto& [process, sight] : sweeps_) sight.refused_for = {};
    schedules.went_back();
}

void Witness::forget_leases(const LeasePicture& before) {
    for (const auto& [task, sight] : before) {
        if (is_current(picture_, sight.lease, sight.worker)) continue;
        forgotten_.insert({sight.lease.lease, sight.worker});
        ++lost_.claims;
    }
    lost_.finishes -= awaited_.size();  // those that are still awaited are counted again
    awaited_.clear();
    for (const auto& [task, sight] : picture_) {
        if (sight.started) started_.insert(sight.lease.lease);
        recovered_by_.erase(sight.lease.lease);
        const auto finish = finished_.find({sight.lease.lease, sight.worker});
        if (finish == finished_.end()) continue;
        awaited_.insert(*finish);
        ++lost_.finishes;
    }
}

/// Tasks whose claim was lost may run again, and beside the run that the store has forgotten.
void Witness::forget_runs() {
    const auto known = reader_.leases_with_history();
    for (TrueRun& run : world_.ledger.runs()) run.is_forgotten |= !known.contains({run.lease.task, run.lease.lease});
}

/// What was removed before stays removed.
void Witness::forget_endings(const std::set<Uuid>& tasks) {
    const auto endings = reader_.endings();
    std::erase_if(endings_, [&](const auto& each) {
        const TrueTask* known = world_.ledger.find(each.first);
        const bool was_removed = (known != nullptr && known->was_pruned) || jobs.roots().contains(each.first);
        return tasks.contains(each.first) || !was_removed;
    });
    for (const auto& [task, ending] : endings) endings_.insert_or_assign(task, ending);
}

void Witness::forget_tasks(const std::set<Uuid>& tasks, bool at_its_place) {
    for (auto& [id, task] : world_.ledger.tasks()) {
        task.next_checkpoint.reset();
        if (tasks.contains(id)) {
            task.was_pruned = false;
        } else if (!task.was_pruned) {
            submits.lost(id, task.name, task.acknowledged ? task.acknowledged_to : "", !at_its_place);
            if (std::exchange(task.acknowledged, false)) ++lost_.tasks;
            task.in_store = false;
        }
    }
}

/// A worker whose row is lost is like one whose row was deleted.
void Witness::forget_workers() {
    std::set<Uuid> rows;
    for (const WorkerSight& row : reader_.workers()) rows.insert(row.id);
    for (auto& [id, worker] : world_.workers) {
        if (rows.contains(id)) {
            worker.forgotten_at.reset();
        } else if (worker.registered_at && !worker.forgotten_at) {
            worker.forgotten_at = world_.timeline.now();
        }
    }
}

/// A finish that the store has forgotten, though not its claim, is delivered again by its worker.
void Witness::check_delivery(const Change& change, const LeaseSight& lease, const Change::End& end) {
    const auto awaited = awaited_.extract({lease.lease.lease, lease.worker});
    if (!awaited || change.verb != "turn") return;
    const Finish& finish = awaited.mapped();
    if (end.end == finish.end) {
        ++lost_.delivered;
    } else if (world_.timeline.now() - finish.at <= outcomes_are_kept_for) {
        complain("Going back",
                 concat(world_.ledger.name_of(lease.lease.task), "#", lease.lease.lease, " was finished as ",
                        word_of(finish.end), ", which the store forgot, and then as ", word_of(end.end)));
    }
}

}  // namespace holdfast::sim
