#pragma once

#include "base/ids.h"
#include "proof/sim/faulty_store.h"
#include "proof/sim/process.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

/// A client that submits tasks until they are on disk, and steers what is there: cancels, forces, pauses, drains.
/// Once the world is calm it undoes whatever would keep tasks from ending.
class ClientProcess final : public Process {
public:
    ClientProcess(World& world, const std::string& name, Machine& machine, Dice dice_of_it)
        : Process(world, name, machine, std::move(dice_of_it)),
          clock_(world, world.draw_skew(name)),
          store_(*this, clock_) {}

    void start() override;
    [[nodiscard]] Fault kill_fault() const override { return Fault::KillClient; }

private:
    void run();
    void act();
    void submit_some();
    void insist(const std::vector<store::NewTask>& tasks);
    void submit_again();
    void steer();
    void order_some_worker();
    void start_job();
    void steer_job();
    void finish_jobs();
    // client_schedules.cc
    void steer_schedule();
    void put_schedule(const std::string& schedule);
    void pause_schedules();
    void put_in_order();
    [[nodiscard]] store::NewTask draw_task();
    [[nodiscard]] const TrueTask* draw_known();

    WallClock clock_;
    FaultyStore store_;
    UuidV7Maker ids_;
};

}  // namespace holdfast::sim
