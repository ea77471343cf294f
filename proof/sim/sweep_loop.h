#pragma once

#include "engine/recovery/sweeper.h"
#include "proof/sim/host_watch.h"
#include "proof/sim/process.h"

namespace holdfast::sim {

/// A thread of a simulated process that sweeps once a second, as the real thread does.
class SweepLoop {
public:
    /// `self`: the worker of the process, if it is one.
    SweepLoop(Process& process, store::RecoveryStore& store, const std::optional<Uuid>& self = std::nullopt);
    void start();

private:
    void run();
    void sweep();
    [[nodiscard]] engine::SweepReport run_sweeper();

    Process& process_;
    store::RecoveryStore& store_;
    SimulatedHostWatch host_;
    engine::Sweeper sweeper_;
};

}  // namespace holdfast::sim
