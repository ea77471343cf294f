#include "base/text.h"
#include "proof/sim/worker_process.h"
#include "proof/sim/world.h"
#include "store/sqlite/database.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

constexpr Duration longest_outage = 2h;

}  // namespace

void World::plan_next(Fault fault) {
    const auto wait = faults.next_after(fault);
    if (!wait) return;
    timeline.after(*wait, [this, fault] {
        if (auto drawn = faults.draw(fault, "world"); drawn && strike(fault, *drawn)) faults.happened(fault);
        plan_next(fault);
    });
}

const Process* World::find_living(const std::string& name) const {
    for (const auto& slot : slots_)
        if (slot->name == name && slot->process && slot->process->is_alive()) return slot->process.get();
    return nullptr;
}

Process* World::pick(std::string_view role, Dice& of_fault) {
    std::vector<Process*> found;
    for (const auto& slot : slots_)
        if (slot->process && slot->process->is_alive() && slot->name.starts_with(role))
            found.push_back(slot->process.get());
    return found.empty() ? nullptr : of_fault.pick(found);
}

void World::pause(Process& process, Duration length) {
    process.say(concat("is stopped for ", format_duration(length)));
    process.stop();
    still_until_ = std::max(still_until_, timeline.now() + length);
    Slot* slot = slot_of(process);
    const std::uint64_t number = ++last_stop_;
    stops_[number] = {slot, slot->incarnation};
    timeline.after(length, [this, number] { end_stop(number); });
}

void World::end_stop(std::uint64_t number) {
    const auto ended = stops_.extract(number);
    if (!ended) return;  // it was continued before
    const Stop& stop = ended.mapped();
    if (stop.slot->incarnation != stop.incarnation || !stop.slot->process) return;
    stop.slot->process->say("goes on");
    stop.slot->process->go_on();
}

void World::rouse(const std::set<Uuid>& ids, Duration wait) {
    bool is_anybody_stopped = false;
    for (const auto& [number, stop] : stops_) {
        const auto* worker = dynamic_cast<const WorkerProcess*>(stop.slot->process.get());
        if (worker == nullptr || !ids.contains(worker->id())) continue;
        timeline.after(wait, [this, number = number] { end_stop(number); });
        is_anybody_stopped = true;
    }
    if (is_anybody_stopped) faults.happened(Fault::BackAtVerdict);
}

bool World::freeze(Machine& machine, Duration length) {
    if (machine.is_frozen || !machine.is_up) return false;
    trace.line(timeline.now(), machine.hostname, concat("stands still for ", format_duration(length)));
    machine.is_frozen = true;
    machine.frozen_at = timeline.now();
    still_until_ = std::max(still_until_, timeline.now() + length);
    std::vector<std::pair<Slot*, int>> frozen;
    for (const auto& slot : slots_) {
        if (slot->machine != machine.number || !slot->process) continue;
        slot->process->stop();
        if (auto* worker = dynamic_cast<WorkerProcess*>(slot->process.get())) worker->runners().suspend();
        frozen.emplace_back(slot.get(), slot->incarnation);
    }
    timeline.after(length, [this, &machine, boot = machine.boots, length, frozen] {
        if (machine.boots != boot) return;
        trace.line(timeline.now(), machine.hostname, "goes on");
        machine.is_frozen = false;
        if (machine.clock_sleeps) machine.asleep += length;
        for (const auto& [slot, incarnation] : frozen) {
            if (slot->incarnation != incarnation || !slot->process) continue;
            if (auto* worker = dynamic_cast<WorkerProcess*>(slot->process.get())) worker->runners().go_on();
            slot->process->go_on();
        }
        for (const auto& slot : slots_)
            if (slot->process && slot->machine == machine.number &&
                std::ranges::count(frozen, std::pair(slot.get(), slot->incarnation)) == 0)
                slot->process->go_on();
    });
    return true;
}

void World::reboot(Machine& machine, Duration away) {
    trace.line(timeline.now(), machine.hostname, concat("loses its power for ", format_duration(away)));
    for (const auto& slot : slots_)
        if (slot->machine == machine.number && slot->process) slot->process->die("its machine lost its power");
    for (auto& run : ledger.runs())
        if (run.machine == machine.number && !run.ended_at)
            ledger.run_ended(static_cast<std::size_t>(&run - ledger.runs().data()), "lost with its machine",
                             timeline.now());
    std::erase_if(leftovers_, [&](const auto& each) { return each.second.machine == machine.number; });
    machine.processes.clear();
    machine.life_locks.clear();
    machine.last_pid = 100;
    machine.is_up = false;
    machine.is_frozen = false;
    ++machine.boots;
    for (auto& [id, worker] : workers)
        if (worker.machine == machine.number && !worker.gone_since)
            worker.gone_since = machine.monotonic(timeline.now());
    timeline.after(away, [this, &machine, boot = machine.boots] {
        if (machine.boots != boot) return;
        machine.is_up = true;
        trace.line(timeline.now(), machine.hostname, "is up again");
    });
}

void World::lose_power() {
    power_cuts_seen = disk.power_cuts;
    Dice details = dice.fork(concat("power cut ", power_cuts_seen));
    const Duration away = details.logarithmic(1s, 2min);
    trace.line(timeline.now(), "database", "its machine loses its power");
    if (plan.one_machine) {
        reboot(*machines.front(), away);
    } else {
        down_until_ = std::max(down_until_, timeline.now() + away);
    }
    witness.power_failed();
}

void World::go_away(Duration length) {
    down_until_ = std::max(down_until_, timeline.now() + length);
    trace.line(timeline.now(), "database", concat("is away for ", format_duration(length)));
}

bool World::cut_off_one(Dice& of_fault) {
    Process* const process = pick("", of_fault);
    if (process == nullptr) return false;
    const Duration length = of_fault.logarithmic(1s, 10min);
    partitioned_until_[process->name()] = timeline.now() + length;
    process->say(concat("is cut off from the store for ", format_duration(length)));
    return true;
}

/// Deletes a row by hand, past every store.
bool World::forget_one(Dice& of_fault) {
    std::vector<Uuid> known;
    const bool of_the_living = of_fault.chance(0.7);
    for (const auto& [id, worker] : workers)
        if (worker.registered_at && !worker.forgotten_at && (worker.is_alive || !of_the_living)) known.push_back(id);
    if (known.empty() || timeline.now() < down_until_) return false;
    const Uuid id = of_fault.pick(known);
    std::string digits = id.to_string();
    std::erase(digits, '-');
    try {
        const OpeningFor opening(std::make_shared<DiskClient>());
        sqlite::Database db(database, sqlite::Database::Mode::ReadWrite);
        db.execute(concat("PRAGMA synchronous = FULL; DELETE FROM worker WHERE id = x'", digits, "'"));
    } catch (const store::StoreError&) {
        return false;  // another process writes, or the disk is full
    }
    workers.at(id).forgotten_at = timeline.now();
    trace.line(timeline.now(), "database", concat("the row of ", workers.at(id).process, " is deleted"));
    if (!workers.at(id).is_alive || of_fault.chance(0.5)) return true;
    for (const auto& slot : slots_)  // before it can register again
        if (slot->name == workers.at(id).process && slot->process) slot->process->die("killed as its row is deleted");
    return true;
}

bool World::terminate_one(Dice& of_fault) {
    auto* const worker = dynamic_cast<WorkerProcess*>(pick("worker", of_fault));
    if (worker == nullptr) return false;
    worker->say("receives SIGTERM");
    worker->after(Duration::zero(), [worker] { worker->ask_to_drain(); });
    return true;
}

bool World::strike(Fault fault, Dice of_fault) {
    const auto pause_one = [&](std::string_view role) {
        Process* const process = pick(role, of_fault);
        if (process != nullptr) pause(*process, of_fault.logarithmic(1s, 10min));
        return process != nullptr;
    };
    switch (fault) {
        case Fault::Outage:
            go_away(of_fault.logarithmic(1s, longest_outage));
            return true;
        case Fault::Partition:
            return cut_off_one(of_fault);
        case Fault::PauseWorker:
            return pause_one("worker");
        case Fault::PauseSweeper:
            return pause_one("sweeper");
        case Fault::PauseClient:
            return pause_one("client");
        case Fault::TermWorker:
            return terminate_one(of_fault);
        case Fault::ForgetWorker:
            return forget_one(of_fault);
        case Fault::FreezeMachine:
            return freeze(*machines[of_fault.below(machines.size())], of_fault.logarithmic(1s, 10min));
        case Fault::RebootMachine: {
            Machine& machine = *machines[of_fault.below(machines.size())];
            if (plan.one_machine) {
                disk.lose_power();
                lose_power();
            } else {
                reboot(machine, of_fault.logarithmic(1s, 2min));
            }
            return true;
        }
        case Fault::PowerCut:
            power_cut_is_due = true;  // during the next call
            return false;
        case Fault::DiskStaysFull: {
            const Duration length = of_fault.logarithmic(1s, 10min);
            disk.is_full = true;
            trace.line(timeline.now(), "database", concat("its disk is full for ", format_duration(length)));
            timeline.after(length, [this] { disk.is_full = false; });
            return true;
        }
        case Fault::ClockJump: {
            const Duration jump = of_fault.logarithmic(1s, 1h) * (of_fault.chance(0.5) ? 1 : -1);
            wall_jumps += jump;
            trace.line(timeline.now(), "database", concat("the wall clock jumps by ", jump.count(), " us"));
            return true;
        }
        case Fault::StoreGoesBack:
        case Fault::DiskGoesBack:
        case Fault::FileReplaced:
            plan_going_back(fault, of_fault);
            return false;  // later
        case Fault::StartGoesBack:
            goes_back_before_start_ = of_fault;
            return false;  // later
        case Fault::KillWorker:
        case Fault::KillSweeper:
        case Fault::KillClient:
        case Fault::AnswerLost:
        case Fault::RequestLost:
        case Fault::CallFails:
        case Fault::SlowCall:
        case Fault::CallHangs:
        case Fault::Busy:
        case Fault::DiskFull:
        case Fault::IoError:
        case Fault::PauseAtCall:
        case Fault::BackAtVerdict:
        case Fault::ClockSkew:
        case Fault::RunnerCrash:
        case Fault::RunnerHang:
        case Fault::RunnerSlowStart:
        case Fault::WakeUpLost:
        case Fault::WakeUpTwice:
        case Fault::WakeUpLate:
        case Fault::ClockFarAhead:
            break;  // these do not come on their own
    }
    return false;
}

Duration World::plan_long_outage() {
    if (!plan.long_outage_at) return plan.busy_for;
    auto drawn = faults.draw(Fault::Outage, "long");
    if (!drawn) return plan.busy_for;
    const Duration length = drawn->between(Duration(1h), longest_outage);
    timeline.after(*plan.long_outage_at, [this, length] {
        faults.happened(Fault::Outage);
        go_away(length);
    });
    return plan.busy_for + length;
}

}  // namespace holdfast::sim
