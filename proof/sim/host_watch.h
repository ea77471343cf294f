#pragma once

#include "engine/ports.h"
#include "proof/sim/machine.h"

namespace holdfast::sim {

class World;

/// The liveness of workers as a process on this simulated machine sees it.
class SimulatedHostWatch final : public engine::HostWatch {
public:
    SimulatedHostWatch(World& world, Machine& machine) : world_(world), machine_(machine) {}

    engine::Sight look_at(const store::WorkerLiveness& worker) override;
    bool clear_away(const store::WorkerLiveness& worker) override;
    bool stop_container(const store::WorkerLiveness& worker, const store::TaskLease& lease) override;

private:
    World& world_;
    Machine& machine_;
};

}  // namespace holdfast::sim
