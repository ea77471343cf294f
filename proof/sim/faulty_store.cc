#include "proof/sim/faulty_store.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "proof/sim/world.h"
#include "store/sqlite/sqlite_store.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

constexpr Duration scripted_stop = 10s;  ///< longer than leases of small worlds are trusted
constexpr Duration usual_call = 1s;      ///< a longer call keeps its process from its work
constexpr Duration deadline_of_beats = 2s;
constexpr Duration deadline_of_work = 10s;
constexpr int most_operations = 60;  ///< of the disk, that a call makes before a fault strikes

/// These have no deadline.
constexpr std::string_view patient_verbs[] = {"migrate", "prune"};
/// These have a connection of their own.
constexpr std::string_view verbs_of_beats[] = {"beat", "register_worker", "look"};

Duration deadline_of(const Change& change) {
    return std::ranges::count(verbs_of_beats, change.verb) > 0 ? deadline_of_beats : deadline_of_work;
}

/// What is called seldom, or decides much.
constexpr std::string_view rare_verbs[] = {
    "recover",           "mark_lost", "ask_to_stop", "reject", "register_worker",
    "deregister_worker", "fire",      "start_jobs",  "force",  "cancel"};
constexpr double boost_of_rare = 8;
constexpr double boost_of_stops_at_start = 40;  // nobody knows of what was claimed ahead but its worker

bool is_rare(const Change& change) {
    const auto is_hand_back = [](const auto& end) { return end.second.end == core::LeaseEnd::NotStarted; };
    const bool only_starts = !change.starts.empty() && change.ends.empty();
    const bool is_rare_turn =
        change.verb == "turn" && (only_starts || std::ranges::any_of(change.ends, is_hand_back));
    return is_rare_turn || std::ranges::count(rare_verbs, change.verb) > 0;
}

Fault fault_of(DiskFault::Kind kind, const Process& process) {
    switch (kind) {
        case DiskFault::Kind::IoError:
            return Fault::IoError;
        case DiskFault::Kind::Full:
            return Fault::DiskFull;
        case DiskFault::Kind::Busy:
            return Fault::Busy;
        case DiskFault::Kind::Kill:
            return process.kill_fault();
        case DiskFault::Kind::PowerCut:
            return Fault::PowerCut;
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace

FaultyStore::FaultyStore(Process& process, const Clock& clock) : process_(process), clock_(clock) {}

std::optional<DiskFault> FaultyStore::draw_disk_fault(bool writes) {
    World& world = process_.world();
    if (writes && world.power_cut_is_due) {
        world.power_cut_is_due = false;
        return DiskFault{DiskFault::Kind::PowerCut, process_.dice().between(0, most_operations)};
    }
    const auto operations = [](Dice dice, int most) { return dice.between(0, most); };
    if (const auto dice = world.faults.draw(Fault::Busy, process_.name()))
        return DiskFault{DiskFault::Kind::Busy, operations(*dice, 3)};
    if (const auto dice = world.faults.draw(Fault::IoError, process_.name()))
        return DiskFault{DiskFault::Kind::IoError, operations(*dice, most_operations)};
    if (!writes) return std::nullopt;
    if (const auto dice = world.faults.draw(Fault::DiskFull, process_.name()))
        return DiskFault{DiskFault::Kind::Full, operations(*dice, 20)};
    return std::nullopt;
}

void FaultyStore::draw_kill(Fate& fate, double boost) {
    auto dice = process_.world().faults.draw(process_.kill_fault(), process_.name(), boost);
    if (!dice) return;
    switch (dice->below(3)) {
        case 0:
            fate.kill = Fate::Kill::Before;
            return;
        case 1:
            fate.kill = Fate::Kill::After;
            return;
        default:
            fate.disk = DiskFault{DiskFault::Kind::Kill, dice->between(0, most_operations)};
    }
}

/// A worker that was stopped goes on at the worst time: what it does first gets in before the verdict, or what it was
/// about to do comes after it.
void FaultyStore::draw_return(Fate& fate, const Change& change) {
    World& world = process_.world();
    if (change.judges.empty()) return;
    // A mark that fails is not followed by the verdicts about its leases.
    const double boost = change.marks_lost.empty() ? 2 : 0.3;
    auto dice = world.faults.draw(Fault::BackAtVerdict, process_.name(), boost);
    if (!dice) return;
    if (dice->chance(0.5)) {
        const Duration wait = dice->logarithmic(50us, 1ms);
        world.rouse(change.judges, wait);
        fate.there = wait + dice->logarithmic(5us, 100ms);
    } else {
        fate.rouses_after = dice->logarithmic(500us, 200ms);
    }
}

/// An abandoned call is carried out while its caller still waits, or after later calls of its caller, or never.
void FaultyStore::draw_hang(Fate& fate, const Change& change, double boost) {
    if (std::ranges::count(patient_verbs, change.verb) > 0) return;
    auto dice = process_.world().faults.draw(Fault::CallHangs, process_.name(), boost);
    if (!dice) return;
    fate.hangs = true;
    if (!change.writes || dice->chance(0.2)) return;
    fate.late_by = dice->chance(0.3) ? dice->between(Duration(1ms), deadline_of(change))
                                     : deadline_of(change) + dice->logarithmic(1ms, 5min);
}

FaultyStore::Fate FaultyStore::draw_fate(const Change& change) {
    World& world = process_.world();
    const double boost = is_rare(change) ? boost_of_rare : 1;
    Fate fate;
    const auto latency = Duration(static_cast<Duration::rep>(world.plan.call_latency_ms * 1000));
    fate.there = process_.dice().between(Duration(50), latency);
    fate.back = process_.dice().between(Duration(50), latency);
    if (auto dice = world.faults.draw(Fault::SlowCall, process_.name(), boost)) {
        fate.is_slow_back = !dice->chance(0.5);
        (fate.is_slow_back ? fate.back : fate.there) += dice->logarithmic(500ms, 3min);
        if (!fate.is_slow_back) world.faults.happened(Fault::SlowCall);
    }
    fate.disk = draw_disk_fault(change.writes);
    fate.fails = world.faults.draw(Fault::CallFails, process_.name()).has_value();
    fate.loses_answer = world.faults.draw(Fault::AnswerLost, process_.name(), boost).has_value();
    fate.loses_request = world.faults.draw(Fault::RequestLost, process_.name(), boost).has_value();
    const double boost_of_stop = change.starts.empty() ? boost : boost_of_stops_at_start;
    if (auto dice = world.faults.draw(Fault::PauseAtCall, process_.name(), boost_of_stop))
        fate.stops_for = dice->logarithmic(1s, 10min);
    draw_return(fate, change);
    draw_kill(fate, boost);
    draw_hang(fate, change, boost);
    world.script_fate(process_, [&](CallFault fault) {
        fate.fails |= fault == CallFault::Before;
        fate.loses_answer |= fault == CallFault::AnswerLost;
        fate.loses_request |= fault == CallFault::RequestLost;
        if (fault == CallFault::KillBefore) fate.kill = Fate::Kill::Before;
        if (fault == CallFault::KillAfter) fate.kill = Fate::Kill::After;
        if (fault == CallFault::Stop) fate.stops_for = scripted_stop;
    });
    return fate;
}

void FaultyStore::hang(const Fate& fate, const Change& change, std::function<void(store::Store&)> effect) {
    World& world = process_.world();
    ++world.store_calls;
    world.faults.happened(Fault::CallHangs);
    const Duration deadline = deadline_of(change);
    process_.hinder(world.timeline.now() + deadline);
    if (fate.late_by && effect && world.is_reachable(process_))
        world.carry_out_late({.change = change, .made_at = world.timeline.now(), .effect = std::move(effect)},
                             *fate.late_by);
    process_.sleep(deadline);
    process_.say(concat(change.verb, "(", change.detail, ") is not answered within ", format_duration(deadline)));
    process_.hinder(world.timeline.now());
    if (change.writes) throw store::CommitInDoubt("the store does not answer");
    throw store::Unavailable("the store does not answer");
}

void FaultyStore::arrive(const Fate& fate, const Change& change) {
    World& world = process_.world();
    ++world.store_calls;
    if (fate.there + fate.back > usual_call) process_.hinder(world.timeline.now() + fate.there + fate.back);
    if (fate.stops_for) stop_for(*fate.stops_for);
    process_.sleep(fate.there);
    if (fate.kill == Fate::Kill::Before) die(concat("killed before ", change.verb));
    const bool is_reachable = world.is_reachable(process_);
    if (fate.fails && is_reachable) world.faults.happened(Fault::CallFails);
    if (fate.fails || !is_reachable) {
        process_.say(concat(change.verb, "(", change.detail, ") does not reach the store"));
        process_.hinder(world.timeline.now());
        throw store::Unavailable("the store cannot be reached");
    }
    if (fate.loses_request && change.writes) {
        world.faults.happened(Fault::RequestLost);
        process_.say(concat(change.verb, "(", change.detail, ") is lost on its way"));
        process_.hinder(world.timeline.now());
        throw store::CommitInDoubt("the connection was lost");
    }
    if (client_ && client_->is_dead) close();
    if (!client_) {
        client_ = std::make_shared<DiskClient>();
        world.disk.clients.push_back(client_);
    }
    if (fate.disk) client_->arm(*fate.disk);
    if (change.prunes) world.witness.look_at_everything("before pruning");
    world.about_to(change);
}

store::Store& FaultyStore::opened() {
    if (!store_) {
        World& world = process_.world();
        store_ =
            sqlite::open_store({.path = world.database, .limits = world.limits(), .has_deadlines = false}, clock_);
    }
    return *store_;
}

void FaultyStore::close() {
    if (client_) client_->is_dead = true;
    store_.reset();
    client_.reset();
}

void FaultyStore::stop_for(Duration length) {
    process_.world().faults.happened(Fault::PauseAtCall);
    process_.world().pause(process_, length);
}

void FaultyStore::die(const std::string& how) {
    process_.world().faults.happened(process_.kill_fault());
    process_.die(how);
    throw FiberCancelled();
}

/// A power cut that this call was too short for comes in the midst of a later one.
void FaultyStore::disarm() {
    World& world = process_.world();
    const bool is_left = client_->fault && client_->fault->kind == DiskFault::Kind::PowerCut;
    world.power_cut_is_due |= is_left && !world.is_calm;
    if (const auto struck = client_->disarm()) world.faults.happened(fault_of(*struck, process_));
}

void FaultyStore::applied(Change& change) {
    World& world = process_.world();
    disarm();
    process_.say(concat(change.verb, "(", change.detail, ")"));
    if (change.writes) world.witness.applied(process_, change);
    if (change.brings_work) world.ring();
    if (change.gives_orders) world.ring_for_orders();
    end_if_dead(change);
}

void FaultyStore::refused(Change& change, const store::StoreError& failure) {
    World& world = process_.world();
    disarm();
    process_.hinder(world.timeline.now());
    process_.say(concat(change.verb, "(", change.detail, ") fails: ", failure.what()));
    const bool in_doubt = client_->is_dead || dynamic_cast<const store::CommitInDoubt*>(&failure) != nullptr;
    if (change.writes) world.witness.failed(process_, change, in_doubt);
    end_if_dead(change);
}

/// The disk said so: the process was killed in the midst of the call, or the power is gone.
void FaultyStore::end_if_dead(const Change& change) {
    World& world = process_.world();
    if (!client_->is_dead) return;
    if (world.disk.power_cuts > world.power_cuts_seen) {
        world.lose_power();
        if (process_.is_alive()) throw store::CommitInDoubt("the store's machine lost its power");
        throw FiberCancelled();
    }
    process_.die(concat("killed in the midst of ", change.verb));
    throw FiberCancelled();
}

std::uint64_t FaultyStore::histories() const {
    return process_.world().histories;
}

/// An answer does not outlive the connection: not when the store was replaced by an older one meanwhile.
void FaultyStore::leave(const Fate& fate, const Change& change, std::uint64_t history) {
    World& world = process_.world();
    if (fate.kill == Fate::Kill::After) die(concat("killed after ", change.verb));
    if (fate.rouses_after) world.rouse(change.judges, *fate.rouses_after);
    if (fate.is_slow_back) world.faults.happened(Fault::SlowCall);
    process_.sleep(fate.back);
    // So late that others may have been given what it brings.
    if (change.grants)
        if (auto dice = world.faults.strikes(Fault::SlowCall, process_.name(), boost_of_rare)) {
            const Duration late = dice->logarithmic(1s, 3min);
            process_.hinder(world.timeline.now() + late);
            process_.sleep(late);
        }
    const bool is_cut_off = history != world.histories && !world.keeps_connections;
    if (!fate.loses_answer && !is_cut_off) return;
    if (fate.loses_answer) world.faults.happened(Fault::AnswerLost);
    process_.hinder(world.timeline.now());
    process_.say(concat("the answer to ", change.verb, " is lost"));
    throw store::CommitInDoubt("the connection was lost");
}

Timestamp FaultyStore::now() {
    const Timestamp now = clock_.now();
    process_.world().witness.schedules.told_time(process_, now);
    return now;
}

}  // namespace holdfast::sim
