#pragma once

#include "base/ids.h"
#include "client/lost_submits.h"
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
          store_(*this, clock_),
          submits_(name, [this](const LostSubmits& lost) { this->world().witness.submits.told(*this, lost); }) {}

    void start() override;
    void on_death() override { world().witness.submits.died(*this); }
    [[nodiscard]] Fault kill_fault() const override { return Fault::KillClient; }

private:
    /// The history of the store before a call: as the client knows it, and as it really is.
    struct History {
        std::int64_t rank = 0;
        std::uint64_t number = 0;
    };
    [[nodiscard]] History history() { return {known_rank_, world().histories}; }

    void run();
    void act();
    void submit_some();
    void insist(const std::vector<store::NewTask>& tasks);
    /// Notes that the store has accepted a task or a job (TrueTask, TrueJob).
    template <typename Item>
    void note_accepted(Item& item, client::SubmitMemory::Kind kind, const Uuid& id, const History& before);
    void look_for_lost();
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
    client::SubmitMemory submits_;
    std::int64_t known_rank_ = 0;
    UuidV7Maker ids_;
};

}  // namespace holdfast::sim
