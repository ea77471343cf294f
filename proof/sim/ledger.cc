#include "proof/sim/ledger.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::sim {

void LostHistory::add(const LostHistory& other) {
    tasks += other.tasks;
    jobs += other.jobs;
    claims += other.claims;
    finishes += other.finishes;
    delivered += other.delivered;
    reruns += other.reruns;
}

TrueTask& Ledger::add(const store::NewTask& task) {
    const auto [found, is_new] = tasks_.try_emplace(task.id);
    if (is_new) {
        found->second.name = concat("t", tasks_.size());
        found->second.task = task;
    }
    return found->second;
}

TrueTask* Ledger::find(const Uuid& task) {
    const auto found = tasks_.find(task);
    return found == tasks_.end() ? nullptr : &found->second;
}

std::string Ledger::name_of(const Uuid& task) {
    const TrueTask* found = find(task);
    return found == nullptr ? task.to_string() : found->name;
}

TrueJob& Ledger::add_job(const Uuid& id, const core::WorkflowBundle& bundle) {
    const auto [found, is_new] = jobs_.try_emplace(id);
    if (is_new) {
        found->second.name = concat("j", jobs_.size());
        found->second.bundle = bundle;
    }
    return found->second;
}

TrueJob* Ledger::find_job(const Uuid& id) {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : &found->second;
}

std::string Ledger::name_of_job(const Uuid& id) {
    const TrueJob* found = find_job(id);
    return found == nullptr ? concat("job ", id.to_string()) : found->name;
}

bool Ledger::is_all_acknowledged() const {
    const auto is_known = [](const auto& each) { return each.second.acknowledged || each.second.in_store; };
    return std::ranges::all_of(tasks_, is_known) && std::ranges::all_of(jobs_, is_known);
}

std::size_t Ledger::run_began(TrueRun run) {
    const std::size_t index = runs_.size();
    open_runs_.push_back(index);
    by_lease_[{run.lease.lease, run.worker_id}] = index;
    if (TrueTask* task = find(run.lease.task)) task->runs.push_back(index);
    runs_.push_back(std::move(run));
    return index;
}

void Ledger::run_ended(std::size_t run, const std::string& how, Duration at) {
    if (runs_[run].ended_at) return;
    runs_[run].ended_at = at;
    runs_[run].how = how;
    std::erase(open_runs_, run);
}

std::size_t Ledger::executing(const Uuid& task) const {
    return static_cast<std::size_t>(std::ranges::count_if(open_runs_, [&](std::size_t index) {
        const TrueRun& run = runs_[index];
        return run.lease.task == task && !run.is_suspended && !run.is_forgotten;
    }));
}

Ledger::KeyUse Ledger::executing_with_key(const std::string& queue, const std::string& key) const {
    KeyUse use;
    for (const std::size_t run : open_runs_) {
        const auto known = tasks_.find(runs_[run].lease.task);
        if (runs_[run].is_suspended || runs_[run].is_forgotten) continue;
        if (known == tasks_.end() || known->second.forced) continue;
        const store::NewTask& task = known->second.task;
        const bool counts =
            task.concurrency && task.concurrency->key == key && (queue.empty() || task.queue == queue);
        if (!counts) continue;
        ++use.running;
        use.lowest_limit = std::min(use.lowest_limit, task.concurrency->limit);
    }
    return use;
}

const TrueRun* Ledger::run_of(store::Lease lease, const Uuid& worker) const {
    const auto found = by_lease_.find({lease, worker});
    return found == by_lease_.end() ? nullptr : &runs_[found->second];
}

}  // namespace holdfast::sim
