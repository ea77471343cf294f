#include "proof/chaos/figures.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace holdfast::chaos {

namespace {

/// The runs that were open when their runner was killed, by the ledger.
class OpenRuns {
public:
    explicit OpenRuns(const LedgerLines& ledger) {
        for (const LedgerLine& line : ledger.lines) by_pid_[line.pid].push_back(&line);
    }
    [[nodiscard]] const LedgerLine* at(int pid, Timestamp when) const {
        const LedgerLine* open = nullptr;
        const auto lines = by_pid_.find(pid);
        if (lines == by_pid_.end()) return nullptr;
        for (const LedgerLine* line : lines->second) {
            if (line->at > when) break;
            open = line->mark == Mark::Begin || line->mark == Mark::Overlap ? line : nullptr;
        }
        return open;
    }

private:
    std::unordered_map<int, std::vector<const LedgerLine*>> by_pid_;
};

/// The cause of a verdict on the worker: its death; else the first blow that still lasted; else the last blow.
const Blow* cause_of(const Life& life, Timestamp verdict) {
    constexpr Duration wears_off = std::chrono::seconds(1);
    const Blow* last = nullptr;
    const Blow* lasting = nullptr;
    for (const Blow& blow : life.blows) {
        if (blow.at > verdict) break;
        if (blow.kind == FaultKind::KillWorker) return &blow;
        last = &blow;
        if (lasting == nullptr && blow.at + blow.length + wears_off >= verdict) lasting = &blow;
    }
    return lasting != nullptr ? lasting : last;
}

bool hits_the_store(FaultKind kind) {
    return kind == FaultKind::RestartFast || kind == FaultKind::RestartImmediate ||
           kind == FaultKind::KillPostmaster || kind == FaultKind::FillDisk || kind == FaultKind::BurnCpu ||
           is_of_cluster(kind);
}

std::map<Uuid, const Life*> lives_by_worker(const Findings& findings) {
    std::map<Uuid, const Life*> lives;
    for (const Life& life : findings.lives)
        if (!life.worker.is_nil()) lives[life.worker] = &life;
    return lives;
}

void add_runner_kills(const Findings& findings, std::map<std::string, std::vector<Duration>>& times) {
    const OpenRuns open(findings.ledger);
    std::unordered_map<Uuid, const TaskSeen*> tasks;
    for (const TaskSeen& task : findings.tasks) tasks[task.id] = &task;
    for (const Blow& blow : findings.blows) {
        if (blow.kind != FaultKind::KillRunner) continue;
        const LedgerLine* run = open.at(blow.pid, blow.at);
        const auto task = run != nullptr ? tasks.find(run->task) : tasks.end();
        if (task == tasks.end()) continue;
        for (const RunSeen& seen : task->second->runs)
            if (seen.lease == run->lease && seen.end == core::LeaseEnd::Crashed && seen.finished_at >= blow.at)
                times["runner gone"].push_back(seen.finished_at - blow.at);
    }
}

}  // namespace

Duration percentile(std::vector<Duration> values, double share) {
    if (values.empty()) return Duration::zero();
    std::ranges::sort(values);
    const double rank = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::map<std::string, std::vector<Duration>> settle_times(const Findings& findings) {
    std::map<std::string, std::vector<Duration>> times;
    const auto lives = lives_by_worker(findings);
    for (const VerdictSeen& verdict : findings.verdicts) {
        const auto life = lives.find(verdict.worker);
        if (verdict.task.is_nil() || verdict.evidence == "none" || life == lives.end()) continue;
        if (const Blow* blow = cause_of(*life->second, verdict.at))
            times[verdict.evidence].push_back(verdict.at - blow->at);
    }
    add_runner_kills(findings, times);
    return times;
}

std::size_t unexplained_verdicts(const Findings& findings, Duration lately) {
    std::size_t count = 0;
    const auto lives = lives_by_worker(findings);
    for (const VerdictSeen& verdict : findings.verdicts) {
        const auto life = lives.find(verdict.worker);
        if (!verdict.task.is_nil() || life == lives.end()) continue;
        if (verdict.evidence != "silent" && verdict.evidence != "disconnected") continue;
        const auto explains = [&](const Blow& blow) {
            return blow.at <= verdict.at && verdict.at <= blow.at + blow.length + lately;
        };
        const auto explains_to_all = [&](const Blow& blow) { return hits_the_store(blow.kind) && explains(blow); };
        if (std::ranges::none_of(life->second->blows, explains) &&
            std::ranges::none_of(findings.blows, explains_to_all))
            ++count;
    }
    return count;
}

Duration longest_stall(const std::vector<TaskSeen>& tasks) {
    std::vector<std::pair<Timestamp, int>> changes;  // of the number of open tasks
    for (const TaskSeen& task : tasks) {
        changes.emplace_back(task.created_at, 1);
        if (task.finished_at) changes.emplace_back(*task.finished_at, -1);
    }
    std::ranges::sort(changes);
    Duration longest{};
    int open = 0;
    Timestamp since{};
    for (const auto& [at, change] : changes) {
        if (change < 0) longest = std::max(longest, at - since);
        if (change < 0 || open == 0) since = at;
        open += change;
    }
    return longest;
}

std::vector<Duration> resume_times(const Findings& findings) {
    std::vector<Timestamp> begins;
    for (const LedgerLine& line : findings.ledger.lines)
        if (line.mark == Mark::Begin) begins.push_back(line.at);
    std::ranges::sort(begins);  // runs write their lines in another order than they take the time
    std::vector<Duration> times;
    for (const Failover& failover : findings.failovers) {
        const auto next = std::ranges::lower_bound(begins, failover.promoted_at);
        if (next != begins.end()) times.push_back(*next - failover.promoted_at);
    }
    return times;
}

std::vector<std::size_t> ends_over_time(const std::vector<TaskSeen>& tasks, Timestamp from, Timestamp to,
                                        Duration width) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(std::max<std::int64_t>((to - from) / width + 1, 1)));
    for (const TaskSeen& task : tasks)
        if (task.finished_at && *task.finished_at >= from && *task.finished_at <= to)
            ++counts[static_cast<std::size_t>((*task.finished_at - from) / width)];
    return counts;
}

}  // namespace holdfast::chaos
