#include "engine/worker/run_book.h"

#include "base/assert.h"

namespace holdfast::engine {

Run& RunBook::add(store::ClaimedTask claimed, RunStage stage, Duration now) {
    const store::Lease lease = claimed.lease;
    const auto [place, is_new] = runs_.try_emplace(lease);
    HOLDFAST_ASSERT(is_new);
    Run& run = place->second;
    run.claimed = std::move(claimed);
    run.stage = stage;
    run.since = now;
    stages_[index(stage)].insert(lease);
    return run;
}

Run* RunBook::find(store::Lease lease) {
    const auto found = runs_.find(lease);
    return found == runs_.end() ? nullptr : &found->second;
}

Run* RunBook::find(const store::TaskLease& lease) {
    Run* run = find(lease.lease);
    return run != nullptr && run->claimed.task.id == lease.task ? run : nullptr;
}

void RunBook::move(Run& run, RunStage to, Duration now) {
    auto& stage = stages_[index(to)];
    stage.insert(stage.end(), stages_[index(run.stage)].extract(run.claimed.lease));
    run.stage = to;
    run.since = now;
}

void RunBook::remove(store::Lease lease) {
    const auto found = runs_.find(lease);
    HOLDFAST_ASSERT(found != runs_.end() && found->second.runner == 0);
    stages_[index(found->second.stage)].erase(lease);
    runs_.erase(found);
}

Runner& RunBook::add_runner(RunnerId id, Duration now) {
    Runner& runner = runners_[id];
    runner.since = now;
    runner.last_sign = now;
    return runner;
}

Runner* RunBook::find_runner(RunnerId runner) {
    const auto found = runners_.find(runner);
    return found == runners_.end() ? nullptr : &found->second;
}

void RunBook::move_runner(RunnerId id, RunnerStage to, Duration now) {
    Runner& runner = runners_.at(id);
    runner.stage = to;
    runner.since = now;
    if (to != RunnerStage::Busy) runner.lease = 0;
    if (to == RunnerStage::Idle) {
        idle_.insert(id);
    } else {
        idle_.erase(id);
    }
}

void RunBook::remove_runner(RunnerId runner) {
    idle_.erase(runner);
    runners_.erase(runner);
}

bool RunBook::assign(Run& run, Duration now) {
    if (idle_.empty()) return false;
    const RunnerId id = *idle_.begin();
    move_runner(id, RunnerStage::Busy, now);
    runners_.at(id).lease = run.claimed.lease;
    run.runner = id;
    return true;
}

void RunBook::release(Run& run, Duration now) {
    if (run.runner == 0) return;
    move_runner(run.runner, runners_.at(run.runner).killed ? RunnerStage::Leaving : RunnerStage::Idle, now);
    run.runner = 0;
}

void RunBook::postpone(Duration time) {
    for (const store::Lease lease : in(RunStage::Running)) at(lease).since += time;
    for (auto& [id, runner] : runners_) runner.last_sign += time;
}

}  // namespace holdfast::engine
