#pragma once

#include <optional>

#include "engine/worker/worker.h"
#include "proof/sim/faulty_store.h"
#include "proof/sim/process.h"
#include "proof/sim/runner_farm.h"
#include "proof/sim/sweep_loop.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

/// A worker: the real engine::Worker, driven as worker::Service drives it.
class WorkerProcess final : public Process {
public:
    WorkerProcess(World& world, const std::string& name, Machine& machine, Dice dice,
                  const std::vector<std::string>& tags);

    void start() override;
    void on_death() override;
    [[nodiscard]] Fault kill_fault() const override { return Fault::KillWorker; }

    /// SIGTERM.
    void ask_to_drain();
    /// Work may have become claimable.
    void wake();
    /// There may be orders for it.
    void hear_of_orders();
    [[nodiscard]] const Uuid& id() const { return id_; }
    [[nodiscard]] RunnerFarm& runners() { return runners_; }
    [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }

private:
    [[nodiscard]] engine::WorkerSettings settings(const std::vector<std::string>& tags);
    void runner_said(const engine::RunnerEvent& event);
    void decide();
    void decide_at(Duration when);
    void poll();
    void perform(engine::Command& command);
    void call_store(engine::Lane lane, engine::StoreCall call);
    [[nodiscard]] engine::StoreAnswer perform_call(const engine::StoreCall& call);
    void check_orders_were_heard();
    void leave(const engine::Leave& leave);

    const Uuid id_;
    const int keeper_pid_;
    WallClock clock_;
    FaultyStore store_;
    RunnerFarm runners_;
    engine::Worker worker_;
    std::optional<SweepLoop> sweep_loop_;
    std::uint64_t decisions_ = 0;
    std::optional<int> exit_code_;
    std::optional<Duration> orders_since_;  // since when orders wait for the next beat; on the timeline
    Duration beat_lane_free_since_{};       // on the timeline
    bool beat_failed_ = false;
};

}  // namespace holdfast::sim
