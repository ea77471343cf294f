#pragma once

#include "proof/sim/faulty_store.h"
#include "proof/sim/process.h"
#include "proof/sim/sweep_loop.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

/// A process that only sweeps, as a server does beside its other work.
class SweeperProcess final : public Process {
public:
    SweeperProcess(World& world, const std::string& name, Machine& machine, Dice dice_of_it)
        : Process(world, name, machine, std::move(dice_of_it)),
          clock_(world, world.draw_skew(name)),
          store_(*this, clock_),
          loop_(*this, store_) {}

    void start() override { loop_.start(); }
    [[nodiscard]] Fault kill_fault() const override { return Fault::KillSweeper; }

private:
    WallClock clock_;
    FaultyStore store_;
    SweepLoop loop_;
};

}  // namespace holdfast::sim
