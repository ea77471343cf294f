#include "base/text.h"
#include "proof/sim/client_process.h"
#include "proof/sim/sweeper_process.h"
#include "proof/sim/worker_process.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

}  // namespace

void World::add_slots() {
    const auto add = [&](std::string name, auto make_process) {
        Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
        slot.name = name;
        slot.machine = static_cast<int>(slots_.size()) % plan.machines;
        slot.make = [this, name, make_process, machine = slot.machine](int incarnation) {
            return make_process(name, *machines[static_cast<std::size_t>(machine)],
                                dice.fork(concat(name, "/", incarnation)));
        };
    };
    for (int i = 1; i <= plan.workers; ++i) {
        std::vector<std::string> tags = {"task:work"};
        if (i % 2 == 1) tags.emplace_back("gpu");
        add(concat("worker-", i), [this, tags](const std::string& name, Machine& machine, const Dice& of_it) {
            return std::make_unique<WorkerProcess>(*this, name, machine, of_it, tags);
        });
    }
    for (int i = 1; i <= plan.sweepers; ++i)
        add(concat("sweeper-", i), [this](const std::string& name, Machine& machine, const Dice& of_it) {
            return std::make_unique<SweeperProcess>(*this, name, machine, of_it);
        });
    for (int i = 1; i <= plan.clients; ++i)
        add(concat("client-", i), [this](const std::string& name, Machine& machine, const Dice& of_it) {
            return std::make_unique<ClientProcess>(*this, name, machine, of_it);
        });
}

void World::start(Slot& slot) {
    slot.is_due = false;
    if (slot.process) return;
    Machine& machine = *machines[static_cast<std::size_t>(slot.machine)];
    if (!machine.is_up) return start_later(slot, 1s);
    slot.process = slot.make(++slot.incarnation);
    slot.process->say("starts");
    if (machine.is_frozen) slot.process->stop();
    slot.process->start();
}

void World::start_later(Slot& slot, Duration wait) {
    if (std::exchange(slot.is_due, true)) return;
    timeline.after(wait, [this, &slot] { start(slot); });
}

World::Slot* World::slot_of(const Process& process) {
    for (const auto& slot : slots_)
        if (slot->process.get() == &process) return slot.get();
    return nullptr;
}

void World::bury(Process& process) {
    Slot* slot = slot_of(process);
    if (slot == nullptr) return;
    graveyard_.push_back(std::move(slot->process));
    Dice supervisor = dice.fork(concat("supervisor/", slot->name, "/", slot->incarnation));
    start_later(*slot, supervisor.logarithmic(100ms, plan.restarts_within));
}

void World::worker_died(const Remains& remains) {
    TrueWorker& truth = workers.at(remains.worker);
    truth.is_alive = false;
    truth.died_at = timeline.now();
    leftovers_[remains.worker] = remains;
    Machine& machine = *machines[static_cast<std::size_t>(remains.machine)];
    if (remains.keeper_dies_too) {
        truth.gone_since = machine.monotonic(timeline.now());
        machine.processes.erase(remains.keeper_pid);
        machine.release_life_locks(remains.worker);
        timeline.after(10min, [this, worker = remains.worker] { end_leftovers(worker, "ended in the end"); });
    } else {
        timeline.after(remains.keeper_delay, [this, worker = remains.worker] { end_of_keeper(worker); });
    }
}

void World::end_of_keeper(const Uuid& worker) {
    const auto found = leftovers_.find(worker);
    if (found == leftovers_.end()) return;
    Machine& machine = *machines[static_cast<std::size_t>(found->second.machine)];
    if (machine.is_frozen) {
        timeline.after(1s, [this, worker] { end_of_keeper(worker); });
        return;
    }
    machine.processes.erase(found->second.keeper_pid);
    machine.release_life_locks(worker);
    workers.at(worker).gone_since = machine.monotonic(timeline.now());
    end_leftovers(worker, "killed by its keeper");
}

void World::end_leftovers(const Uuid& worker, const std::string& how) {
    const auto found = leftovers_.find(worker);
    if (found == leftovers_.end()) return;
    for (const std::size_t run : found->second.runs) ledger.run_ended(run, how, timeline.now());
    leftovers_.erase(found);
}

bool World::is_reachable(const Process& process) const {
    if (timeline.now() < down_until_) return false;
    const auto partition = partitioned_until_.find(process.name());
    return partition == partitioned_until_.end() || timeline.now() >= partition->second;
}

void World::script_fate(Process& process, const std::function<void(CallFault)>& apply) {
    for (; next_scripted_ < options_.script.size(); ++next_scripted_) {
        const ScriptedFault& next = options_.script[next_scripted_];
        if (next.call != store_calls + 1) return;
        process.say(concat("call ", next.call, " ", to_text(next.fault)));
        apply(next.fault);
    }
}

void World::ring() {
    wake_workers([](WorkerProcess& worker) { worker.wake(); });
}

void World::ring_for_orders() {
    wake_workers([](WorkerProcess& worker) { worker.hear_of_orders(); });
}

void World::wake_workers(const std::function<void(WorkerProcess&)>& wake) {
    for (const auto& slot : slots_) {
        auto* worker = dynamic_cast<WorkerProcess*>(slot->process.get());
        if (worker == nullptr || !worker->is_alive()) continue;
        if (faults.strikes(Fault::WakeUpLost, slot->name)) continue;
        Duration wait = 100us;
        if (auto late = faults.strikes(Fault::WakeUpLate, slot->name)) wait = late->logarithmic(1ms, 10s);
        worker->after(wait, [worker, wake] { wake(*worker); });
        if (faults.strikes(Fault::WakeUpTwice, slot->name))
            worker->after(2 * wait, [worker, wake] { wake(*worker); });
    }
}

}  // namespace holdfast::sim
