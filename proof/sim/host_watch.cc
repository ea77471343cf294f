#include "proof/sim/host_watch.h"

#include "proof/sim/world.h"

namespace holdfast::sim {

/// Like the real one: by the lock where all share one machine, else by the process table.
engine::Sight SimulatedHostWatch::look_at(const store::WorkerLiveness& worker) {
    const store::HostIdentity& host = worker.host;
    if (host.hostname != machine_.hostname) return {};
    if (host.boot_id != machine_.boot_id())
        return {core::Evidence::Rebooted, "the machine has booted since", world_.plan.one_machine};
    if (world_.plan.one_machine) {
        if (machine_.life_locks.contains(worker.number) || machine_.has(host.pid, host.start_time)) return {};
        return {core::Evidence::Exited, "its lock is free", true};
    }
    const bool is_gone =
        !machine_.has(host.pid, host.start_time) && !machine_.has(host.keeper_pid, host.keeper_start_time);
    if (!is_gone) return {};
    return {core::Evidence::Exited, "its process is gone", false};
}

bool SimulatedHostWatch::clear_away(const store::WorkerLiveness& worker) {
    const bool may_be_here = worker.host.boot_id.empty() || worker.host.boot_id == machine_.boot_id();
    if (may_be_here) world_.end_leftovers(worker.id, "cleared away");
    return true;
}

bool SimulatedHostWatch::stop_container(const store::WorkerLiveness&, const store::TaskLease&) {
    return true;
}

}  // namespace holdfast::sim
