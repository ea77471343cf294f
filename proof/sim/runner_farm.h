#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/worker/runners.h"
#include "proof/sim/dice.h"

namespace holdfast::sim {

class Process;
class World;

/// The runners of a simulated worker: processes that go on while their worker is stopped, end themselves at the
/// fence, and die with their keeper. The ledger records what they execute.
class RunnerFarm final : public engine::Runners {
public:
    using Sink = std::function<void(const engine::RunnerEvent&)>;

    /// `sink` is called in the worker's process.
    RunnerFarm(Process& worker, const Uuid& id, Sink sink);
    ~RunnerFarm() override;

    void spawn(engine::RunnerId runner) override;
    void begin(engine::RunnerId runner, const engine::RunOrder& order) override;
    void ask_to_stop(engine::RunnerId runner, engine::StopCause cause, Duration grace) override;
    void kill(engine::RunnerId runner) override;
    void set_fence(Duration deadline) override;
    void logs_stored(engine::RunnerId, std::size_t) override {}

    /// With its machine.
    void suspend();
    void go_on();
    /// The runs under way, as indexes of the ledger's runs.
    [[nodiscard]] std::vector<std::size_t> open_runs() const;
    /// How many times a run was asked or forced to stop.
    [[nodiscard]] std::uint64_t stops() const { return stops_; }

private:
    /// What a run does when it is asked to stop.
    enum class Reaction {
        Ignores,          ///< never looks: goes on until its own end or the end of the grace
        IsInterrupted,    ///< a script: its processes are ended
        Returns,          ///< sees it, and returns what it has
        CompletesAnyway,  ///< sees it, and returns a value that it calls complete
        Throws,           ///< sees it, saves a checkpoint and throws Stopped
        Fails,            ///< sees it, and fails
    };

    struct Runner {
        bool is_ready = false;
        std::uint64_t busy_with = 0;  ///< number of its current run; events of an earlier run are void
        std::optional<engine::RunOrder> order;
        std::size_t run = 0;                          ///< in the ledger
        Reaction reaction = Reaction::IsInterrupted;  ///< to being asked to stop
        bool is_stubborn = false;                     ///< ignores it also after the grace
        bool hangs = false;
    };

    void tell(const engine::RunnerEvent& event);
    /// Runs something in the runner, unless that run or the runner has ended by then.
    void later(Duration wait, engine::RunnerId runner, std::function<void(Runner&)> event);
    void plan_run(engine::RunnerId id, Runner& runner);
    void plan_signs(engine::RunnerId id);
    void react(engine::RunnerId id, Runner& runner, Reaction reaction);
    void end_run(engine::RunnerId id, Runner& runner, engine::RunEnded ended, const std::string& how);
    void lose(engine::RunnerId id, const std::string& how, bool fenced);
    void check_fence();
    [[nodiscard]] Duration now() const;

    Process& worker_;
    const Uuid id_;
    World& world_;
    Sink sink_;
    std::map<engine::RunnerId, Runner> runners_;
    Duration fence_{};       ///< on the machine's monotonic clock
    Duration told_until_{};  ///< keeps events to the worker in order
    std::uint64_t stops_ = 0;
    bool is_suspended_ = false;
    std::vector<std::function<void()>> waiting_;
    std::shared_ptr<bool> is_there_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::sim
