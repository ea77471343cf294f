#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/worker/runners.h"
#include "store/store.h"

namespace holdfast::engine {

/// The stages of a lease in its worker.
enum class RunStage {
    Held,      ///< CLAIMED: waits for a runner
    Starting,  ///< its start is being committed, or the commit is in doubt
    Waiting,   ///< RUNNING in the store, but without a runner: waits for one
    Running,   ///< executed by its runner
    Ended,     ///< no process of it is left; its outcome waits to be delivered
    Returning  ///< CLAIMED: to be handed back
};
inline constexpr std::size_t run_stages = 6;

/// A request to stop a run.
struct Stop {
    StopCause cause = StopCause::Drain;
    Duration kill_at{};  ///< what is left of the run is killed then
    bool killed = false;
    bool out_of_time =
        false;  ///< its timeout has asked it to stop, possibly before another cause: its value does not count
    std::string hurried_by = {};  ///< of a drain: what cut the grace short; empty: nothing
};

struct Run {
    store::ClaimedTask claimed;
    RunStage stage = RunStage::Held;
    Duration since{};     ///< in this stage
    RunnerId runner = 0;  ///< 0: none
    Duration timeout{};   ///< of this attempt
    /// When the last acknowledged beat was sent that listed the lease or came before its claim. No other worker can
    /// get the task until the fence's time has passed since then.
    Duration trusted_since{};
    std::int64_t confirmed_rank = 0;  ///< of the history in which a beat that listed the lease was acknowledged
    std::optional<Stop> stop;
    store::FinishedRun outcome;                    ///< of Ended
    std::optional<store::ProgressReport> unsaved;  ///< reported since the last acknowledged beat
    std::vector<store::LogChunk> unsent_logs;
    int next_log_sequence = 0;
    RunnerId log_runner = 0;  ///< the runner whose output the unsent logs are

    [[nodiscard]] store::TaskLease lease() const { return {claimed.task.id, claimed.lease}; }
};

enum class RunnerStage { Booting, Idle, Busy, Leaving };

struct Runner {
    RunnerStage stage = RunnerStage::Booting;
    Duration since{};      ///< in this stage
    Duration last_sign{};  ///< of life
    int pid = 0;
    store::Lease lease = 0;  ///< of Busy
    bool killed = false;
};

/// The worker's leases and runners, and which runner executes which lease.
class RunBook {
public:
    Run& add(store::ClaimedTask claimed, RunStage stage, Duration now);
    [[nodiscard]] Run* find(store::Lease lease);
    [[nodiscard]] Run* find(const store::TaskLease& lease);
    [[nodiscard]] Run& at(store::Lease lease) { return runs_.at(lease); }
    void move(Run& run, RunStage to, Duration now);
    void remove(store::Lease lease);

    /// In the order in which they were claimed.
    [[nodiscard]] const std::set<store::Lease>& in(RunStage stage) const { return stages_[index(stage)]; }
    [[nodiscard]] std::size_t count(RunStage stage) const { return in(stage).size(); }
    [[nodiscard]] std::map<store::Lease, Run>& runs() { return runs_; }
    [[nodiscard]] const std::map<store::Lease, Run>& runs() const { return runs_; }

    Runner& add_runner(RunnerId runner, Duration now);
    [[nodiscard]] Runner* find_runner(RunnerId runner);
    void move_runner(RunnerId id, RunnerStage to, Duration now);
    void remove_runner(RunnerId runner);
    [[nodiscard]] std::map<RunnerId, Runner>& runners() { return runners_; }
    [[nodiscard]] const std::map<RunnerId, Runner>& runners() const { return runners_; }
    [[nodiscard]] std::size_t idle_runners() const { return idle_.size(); }

    /// Gives the run an idle runner; false when there is none.
    bool assign(Run& run, Duration now);
    /// Takes the runner from a run that will not use it. The runner is idle again.
    void release(Run& run, Duration now);
    /// Moves the deadlines of runs and runners by this much, because the process was suspended.
    void postpone(Duration time);

private:
    static std::size_t index(RunStage stage) { return static_cast<std::size_t>(stage); }

    std::map<store::Lease, Run> runs_;
    std::array<std::set<store::Lease>, run_stages> stages_;
    std::map<RunnerId, Runner> runners_;
    std::set<RunnerId> idle_;
};

}  // namespace holdfast::engine
