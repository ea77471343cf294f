#include "proof/chaos/judge.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "proof/chaos/lost_history.h"

namespace holdfast::chaos {

namespace {

using Complaints = std::vector<Complaint>;

// Exit codes of `holdfast worker` and `holdfast server`. Neither ends because the store is unreachable, at the start
// or later; the checks below state which other faults may end them.
constexpr int left_in_order = 0;
constexpr int left_early = 1;
constexpr int store_refused = 3;

/// How long a drained worker tries at least to deliver its results.
constexpr Duration delivery_patience = std::chrono::seconds(30);
/// How exactly the end of a process is known.
constexpr Duration end_margin = std::chrono::seconds(2);

/// One run, by the lines that it wrote; positions in the ledger are its order.
struct Run {
    const LedgerLine* begin = nullptr;
    std::size_t began = 0;
    const LedgerLine* end = nullptr;
    std::size_t ended = 0;
};

/// The ledger by task and lease, in the order of the lines.
class Book {
public:
    explicit Book(const LedgerLines& ledger, Complaints& found) {
        for (std::size_t i = 0; i < ledger.lines.size(); ++i) {
            enter(ledger.lines[i], i, found);
            check_lease(ledger.lines[i], found);
        }
        if (ledger.unreadable > 0)
            found.push_back({Breach::Difference, concat(ledger.unreadable, " lines of the ledger cannot be read")});
    }
    [[nodiscard]] const std::vector<Run>& runs_of(const Uuid& task) const {
        static const std::vector<Run> none;
        const auto found = runs_.find(task);
        return found == runs_.end() ? none : found->second;
    }
    [[nodiscard]] const std::unordered_map<Uuid, std::vector<Run>>& runs() const { return runs_; }
    /// The lines of runs that found a lock of theirs held.
    [[nodiscard]] const std::vector<const LedgerLine*>& overlaps() const { return overlaps_; }

private:
    void check_lease(const LedgerLine& line, Complaints& found) {
        const auto [other, is_new] = tasks_of_leases_.try_emplace(line.lease, line.task);
        if (!is_new && other->second != line.task && line.mark == Mark::Begin)
            found.push_back(
                {Breach::LeaseTwice, concat("lease ", line.lease, " was given to task ", other->second.to_string(),
                                            " and to task ", line.task.to_string())});
    }

    void enter(const LedgerLine& line, std::size_t position, Complaints& found) {
        std::vector<Run>& runs = runs_[line.task];
        const auto same = std::ranges::find_if(runs, [&](const Run& run) { return run.begin->lease == line.lease; });
        if (line.mark == Mark::Overlap) {
            overlaps_.push_back(&line);
        } else if (line.mark == Mark::Begin && same == runs.end()) {
            runs.push_back({.begin = &line, .began = position});
        } else if (line.mark == Mark::Begin) {
            found.push_back(
                {Breach::RanTwice, concat("task ", line.task.to_string(), " began twice under lease ", line.lease)});
        } else if (same == runs.end() || same->end != nullptr) {
            found.push_back({Breach::Difference, concat("task ", line.task.to_string(), ", lease ", line.lease,
                                                        ": an end without a begin")});
        } else {
            same->end = &line;
            same->ended = position;
        }
    }

    std::unordered_map<Uuid, std::vector<Run>> runs_;
    std::unordered_map<store::Lease, Uuid> tasks_of_leases_;
    std::vector<const LedgerLine*> overlaps_;
};

class Inspection {
public:
    explicit Inspection(const Findings& findings)
        : findings_(findings), lost_(findings.failovers), book_(findings.ledger, found_) {
        for (const TaskSeen& task : findings.tasks) tasks_[task.id] = &task;
        for (const JobSeen& job : findings.jobs) jobs_[job.id] = &job;
    }

    Complaints run() {
        look_for_lost();
        for (const TaskSeen& task : findings_.tasks) judge_task(task);
        for (const auto& [id, runs] : book_.runs())
            if (!tasks_.contains(id)) judge_forgotten(id, runs);
        judge_locks();
        judge_keys();
        for (const JobSeen& job : findings_.jobs) judge_job(job);
        judge_verdicts();
        judge_lives();
        return std::move(found_);
    }
    [[nodiscard]] const Unavoidable& unavoidable() const { return unavoidable_; }

private:
    // ---- A history that was lost in part ----

    /// Whether the store may have forgotten that this run began.
    [[nodiscard]] bool may_be_forgotten(const Run& run) const { return lost_.may_lack(run.begin->at); }
    /// Whether the store may have forgotten something about this run.
    [[nodiscard]] bool is_affected(const Run& run) const {
        return may_be_forgotten(run) || (run.end != nullptr && lost_.may_lack(run.end->at));
    }
    [[nodiscard]] bool is_forgotten(const TaskSeen& task, const Run& run) const {
        return may_be_forgotten(run) && std::ranges::count(task.runs, run.begin->lease, &RunSeen::lease) == 0;
    }
    [[nodiscard]] bool is_affected(const Uuid& task) const {
        return std::ranges::any_of(book_.runs_of(task), [&](const Run& run) { return is_affected(run); });
    }

    void judge_forgotten(const Uuid& id, const std::vector<Run>& runs) {
        if (!std::ranges::all_of(runs, [&](const Run& run) { return may_be_forgotten(run); }))
            complain(Breach::Difference, id, "ran, and the store does not know it");
    }

    /// A submit that is gone: its client must know, and it must have been lost with a part of the history.
    void judge_missing(const std::string& what, const Acknowledged& submit) {
        if (!lost_.may_lack(submit.at))
            found_.push_back({Breach::Lost, concat(what, " was acknowledged, and is not in the store")});
        else if (findings_.told_lost.contains(submit.id))
            ++unavoidable_.submits_told;
        else
            found_.push_back({Breach::Untold, concat(what,
                                                     " was lost with a part of the history, and its client was "
                                                     "not told")});
    }

    /// Two at once: a broken promise, unless one of the runs is one that the store had forgotten.
    void judge_two_at_once(bool one_is_forgotten, const Uuid& task, const std::string& what) {
        if (one_is_forgotten)
            ++unavoidable_.two_at_once;
        else
            complain(Breach::TwoAtOnce, task, what);
    }

    /// The end of a run was lost and its claim was not: the worker, if it lives, must have delivered the end again.
    void judge_delivery(const TaskSeen& task, const Run& run, const RunSeen& seen) {
        if (run.end == nullptr || seen.end == end_said_by(*run.end)) return;
        const Failover* failover = lost_.failover_of(run.end->at);
        if (failover == nullptr || !was_left_alone(run.begin->worker, run.end->at, failover->promoted_at)) return;
        if (std::ranges::count(findings_.blows, run.begin->pid, &Blow::pid) > 0)
            return;  // killed after its last line
        complain(Breach::Undelivered, task.id, "came to its end under lease ", seen.lease,
                 ", and the store lost that and settled it as ", word_of(seen.end));
    }

    static core::LeaseEnd end_said_by(const LedgerLine& line) {
        return line.mark == Mark::Done ? core::LeaseEnd::Completed : core::LeaseEnd::Failed;
    }

    /// Whether nothing was done to this worker from shortly before `from` until it had time to deliver.
    [[nodiscard]] bool was_left_alone(const Uuid& worker, Timestamp from, Timestamp until) const {
        const auto life = std::ranges::find(findings_.lives, worker, &Life::worker);
        if (worker.is_nil() || life == findings_.lives.end() || life->seen_alive < until + LostHistory::reach)
            return false;
        return std::ranges::none_of(life->blows, [&](const Blow& blow) {
            return blow.at <= until + LostHistory::reach && blow.at + blow.length >= from - LostHistory::reach;
        });
    }

    // ---- Everything else ----

    template <typename... Parts>
    void complain(Breach breach, const Uuid& task, const Parts&... parts) {
        found_.push_back({breach, concat("task ", task.to_string(), ' ', parts...)});
    }

    void look_for_lost() {
        for (const Acknowledged& each : findings_.acknowledged_tasks)
            if (!tasks_.contains(each.id)) judge_missing(concat("task ", each.id.to_string()), each);
        for (const Acknowledged& each : findings_.acknowledged_jobs)
            if (!jobs_.contains(each.id)) judge_missing(concat("job ", each.id.to_string()), each);
    }

    void judge_task(const TaskSeen& task) {
        if (!is_terminal(task.state))
            return complain(Breach::Lost, task.id, "is still ", holdfast::to_text(task.state), " after the bound of ",
                            format_duration(findings_.settle_bound));
        judge_runs(task);
        judge_overlap(task);
        judge_end(task);
    }

    /// P4: every run had a committed start, and a second run is allowed by the policy.
    void judge_runs(const TaskSeen& task) {
        const std::vector<Run>& runs = book_.runs_of(task.id);
        store::Lease last_known = 0;  // a store that has gone back may have forgotten a greater one
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const store::Lease lease = runs[i].begin->lease;
            const auto seen = std::ranges::find(task.runs, lease, &RunSeen::lease);
            if (seen == task.runs.end()) {
                judge_unknown_run(task, runs, i);
                continue;
            }
            judge_holder(task, runs[i], *seen);
            judge_delivery(task, runs[i], *seen);
            if (lease <= std::exchange(last_known, lease))
                complain(Breach::Difference, task.id, "ran under lease ", lease, " after a greater one");
            if (i + 1 < runs.size() && !may_follow(task, seen->end) && !is_forgotten(task, runs[i + 1]))
                complain(Breach::RanTwice, task.id, "ran again although its run under lease ", lease, " ended ",
                         word_of(seen->end));
        }
        judge_budgets(task);
    }

    void judge_unknown_run(const TaskSeen& task, const std::vector<Run>& runs, std::size_t number) {
        if (!may_be_forgotten(runs[number]))
            complain(Breach::Difference, task.id, "ran under lease ", runs[number].begin->lease,
                     ", of which the store has no committed start");
        else if (number + 1 < runs.size())
            ++unavoidable_.ran_again;
    }

    /// The store has the end of a run from the worker whose process ran it.
    void judge_holder(const TaskSeen& task, const Run& run, const RunSeen& seen) {
        if (!run.begin->worker.is_nil() && !seen.worker.is_nil() && run.begin->worker != seen.worker)
            complain(Breach::StaleWrite, task.id, "ran under lease ", seen.lease, " on worker ",
                     run.begin->worker.to_string(), ", and the store says on ", seen.worker.to_string());
    }

    static bool may_follow(const TaskSeen& task, core::LeaseEnd end) {
        if (end == core::LeaseEnd::Failed) return task.policy.retry.max_attempts > 1;
        if (end == core::LeaseEnd::StoppedCleanly) return true;
        if (end == core::LeaseEnd::Crashed || end == core::LeaseEnd::Stopped)
            return task.policy.on_crash == OnCrash::Requeue;
        return false;
    }

    void judge_budgets(const TaskSeen& task) {
        const auto count = [&](core::LeaseEnd end) { return std::ranges::count(task.runs, end, &RunSeen::end); };
        if (count(core::LeaseEnd::Failed) > task.policy.retry.max_attempts)
            complain(Breach::RanTwice, task.id, "failed ", count(core::LeaseEnd::Failed), " times, and may ",
                     task.policy.retry.max_attempts);
        if (count(core::LeaseEnd::Crashed) > task.policy.max_crashes + 1)
            complain(Breach::RanTwice, task.id, "crashed ", count(core::LeaseEnd::Crashed), " times, and may ",
                     task.policy.max_crashes + 1);
    }

    /// P7, from the lines alone: a run that wrote its end was alive until then.
    void judge_overlap(const TaskSeen& task) {
        const std::vector<Run>& runs = book_.runs_of(task.id);
        for (std::size_t i = 0; i + 1 < runs.size(); ++i)
            if (runs[i].end != nullptr && runs[i].ended > runs[i + 1].began)
                judge_two_at_once(is_forgotten(task, runs[i]) || is_forgotten(task, runs[i + 1]), task.id,
                                  concat("began under lease ", runs[i + 1].begin->lease, " while it ran under lease ",
                                         runs[i].begin->lease));
    }

    /// P7, from the locks of the kernel. It does not say which run held the lock.
    void judge_locks() {
        for (const LedgerLine* line : book_.overlaps())
            judge_two_at_once(lost_.may_lack(line->at), line->task,
                              concat("began under lease ", line->lease, ", and another run held its lock"));
    }

    void judge_end(const TaskSeen& task) {
        if (task.state == TaskState::Completed) return judge_completed(task);
        if (task.state == TaskState::Failed) return judge_failed(task);
        complain(Breach::WrongEnd, task.id, "is ", holdfast::to_text(task.state), ", and nobody asked for that");
    }

    void judge_completed(const TaskSeen& task) {
        const std::vector<Run>& runs = book_.runs_of(task.id);
        const auto last = std::ranges::find_if(runs, [&](const Run& run) { return run.begin->lease == task.lease; });
        if (last == runs.end() || last->end == nullptr || last->end->mark != Mark::Done)
            return complain(Breach::Difference, task.id, "is COMPLETED under lease ", task.lease,
                            ", and no run of that lease came to its end");
        if (last + 1 != runs.end() && !is_forgotten(task, *(last + 1)))
            complain(Breach::RanTwice, task.id, "ran again after the run that completed it");
        if (task.returned_by != task.lease)
            complain(Breach::Difference, task.id, "is COMPLETED under lease ", task.lease,
                     " with the result of another run");
    }

    void judge_failed(const TaskSeen& task) {
        const bool may_crash = task.policy.on_crash == OnCrash::Fail;
        const std::string& code = task.error_code;
        if (code == asked_to_fail) return judge_own_failure(task);
        if (code == error_code::worker_crashed || code == error_code::worker_drained || code == error_code::fenced) {
            if (!may_crash) complain(Breach::WrongEnd, task.id, "is FAILED with ", code, ", and was to run again");
        } else if (code == error_code::poison_task) {
            const auto crashes = std::ranges::count(task.runs, core::LeaseEnd::Crashed, &RunSeen::end);
            if (may_crash || crashes <= task.policy.max_crashes)
                complain(Breach::WrongEnd, task.id, "is FAILED with ", code, " after ", crashes, " crashes");
        } else {
            complain(Breach::WrongEnd, task.id, "is FAILED with ", code);
        }
    }

    void judge_own_failure(const TaskSeen& task) {
        const std::vector<Run>& runs = book_.runs_of(task.id);
        const auto last = std::ranges::find_if(runs, [&](const Run& run) { return run.begin->lease == task.lease; });
        const bool failed = last != runs.end() && last->end != nullptr && last->end->mark == Mark::Failed &&
                            (last + 1 == runs.end() || is_forgotten(task, *(last + 1)));
        if (!failed) complain(Breach::Difference, task.id, "is FAILED by itself, and its last run did not fail");
        const auto failures = std::ranges::count(task.runs, core::LeaseEnd::Failed, &RunSeen::end);
        if (failures < task.policy.retry.max_attempts)
            complain(Breach::WrongEnd, task.id, "is FAILED after ", failures, " failures, and had more attempts");
    }

    /// P7 for keys, from the lines alone: runs that wrote their end, and were under way together.
    void judge_keys() {
        struct Step {
            std::size_t position;
            int change;
            const Run* run;
        };
        std::map<std::string, std::vector<Step>> keys;
        std::map<std::string, int> limits;
        for (const TaskSeen& task : findings_.tasks) {
            if (task.behaviour.limit == 0) continue;
            limits[task.behaviour.key] = task.behaviour.limit;
            for (const Run& run : book_.runs_of(task.id)) {
                if (run.end == nullptr) continue;  // it died: its kernel lock shows overlaps
                keys[task.behaviour.key].push_back({run.began, 1, &run});
                keys[task.behaviour.key].push_back({run.ended, -1, &run});
            }
        }
        for (auto& [key, steps] : keys) {
            std::ranges::sort(steps, {}, &Step::position);
            int at_once = 0;
            for (const Step& step : steps)
                if ((at_once += step.change) > limits[key] && step.change > 0)
                    judge_two_at_once(lost_.may_lack(step.run->begin->at), step.run->begin->task,
                                      concat("began while ", at_once - 1, " others held key ", key));
        }
    }

    void judge_job(const JobSeen& job) {
        const std::string name = concat("job ", job.id.to_string());
        if (!is_terminal(job.state)) {
            found_.push_back({Breach::Lost, concat(name, " is still ", holdfast::to_text(job.state),
                                                   " after the bound of ", format_duration(findings_.settle_bound))});
            return;
        }
        const auto has = [&](StepState state) {
            return std::ranges::any_of(job.steps,
                                       [&](const StepSeen& step) { return step.state == state && !step.is_hook; });
        };
        const bool is_whole = !has(StepState::Failed) && !has(StepState::Cancelled);
        if ((job.state == JobState::Completed) != is_whole)
            found_.push_back({Breach::OutOfOrder, concat(name, " is ", holdfast::to_text(job.state),
                                                         ", and its steps ", is_whole ? "succeeded" : "did not")});
        for (const StepSeen& step : job.steps) judge_order(name, job, step);
    }

    void judge_order(const std::string& name, const JobSeen& job, const StepSeen& step) {
        if (!is_terminal(step.state))
            found_.push_back({Breach::Lost, concat(name, ": step ", step.name, " is still ",
                                                   holdfast::to_text(step.state), " and the job has ended")});
        const std::vector<Run>& runs = book_.runs_of(step.task);
        if (runs.empty()) return;
        for (const StepSeen& other : job.steps) {
            const std::string bare = other.name.substr(0, other.name.find('['));
            if (std::ranges::count(step.depends_on, bare) == 0 || had_succeeded(other, runs.front().began)) continue;
            if (is_affected(step.task) || is_affected(other.task))
                continue;  // one of its runs may have been forgotten
            found_.push_back({Breach::OutOfOrder, concat(name, ": step ", step.name, " began before ", other.name,
                                                         " had come to its end")});
        }
    }

    /// Before this position of the ledger.
    [[nodiscard]] bool had_succeeded(const StepSeen& step, std::size_t position) const {
        if (!step.task.is_nil()) return had_completed(step.task, position);
        if (step.child.is_nil())
            return step.state == StepState::Completed;  // the items of a for_each are judged one by one
        const auto child = jobs_.find(step.child);
        return child != jobs_.end() && std::ranges::all_of(child->second->steps, [&](const StepSeen& each) {
                   return each.is_hook || had_succeeded(each, position);  // no step waits for a hook
               });
    }

    /// By the run whose result the store has: earlier runs failed or were refused.
    [[nodiscard]] bool had_completed(const Uuid& id, std::size_t position) const {
        const auto task = tasks_.find(id);
        return task != tasks_.end() && std::ranges::any_of(book_.runs_of(id), [&](const Run& run) {
                   return run.begin->lease == task->second->lease && run.end != nullptr &&
                          run.end->mark == Mark::Done && run.ended < position;
               });
    }

    void judge_verdicts() {
        std::map<Uuid, const Life*> by_worker;
        for (const Life& life : findings_.lives) by_worker[life.worker] = &life;
        for (const VerdictSeen& verdict : findings_.verdicts) {
            if (verdict.evidence != "exited" && verdict.evidence != "rebooted") continue;
            const auto life = by_worker.find(verdict.worker);
            if (life == by_worker.end()) continue;
            if (verdict.at < life->second->seen_alive)
                found_.push_back(
                    {Breach::FalseVerdict,
                     concat(life->second->name, " (", verdict.worker.to_string(), ", pid ", life->second->pid,
                            ") was judged ", verdict.evidence, " at ", format_timestamp(verdict.at),
                            ", and was alive at ", format_timestamp(life->second->seen_alive))});
        }
    }

    void judge_lives() {
        for (const Life& life : findings_.lives) {
            const std::string who = concat(life.name, " (pid ", life.pid, ")");
            if (life.ended && !life.was_killed) judge_end_of_life(who, life);
            if (life.overstayed) found_.push_back({Breach::Crash, concat(who, " did not leave after SIGTERM")});
        }
    }

    void judge_end_of_life(const std::string& who, const Life& life) {
        if (!WIFSIGNALED(life.status)) {
            const int code = WEXITSTATUS(life.status);
            if (!is_explained(code, life))
                found_.push_back(
                    {Breach::Crash, concat(who, " left with exit code ", code,
                                           life.was_asked_to_leave ? "" : " by itself", "; see its log")});
            return;
        }
        // A process that has just begun does not handle SIGTERM yet: the signal kills it.
        const bool has_left = life.was_asked_to_leave && WTERMSIG(life.status) == SIGTERM;
        if (!has_left)
            found_.push_back(
                {Breach::Crash, concat(who, " died of signal ", WTERMSIG(life.status), "; see its log")});
    }

    [[nodiscard]] bool is_explained(int exit_code, const Life& life) const {
        if (exit_code == left_in_order) return life.was_asked_to_leave;
        if (exit_code == left_early) return has_lost_its_keeper(life) || could_not_deliver(life);
        return exit_code == store_refused && (met_a_full_disk(life) || met_two_primaries(life));
    }

    /// A worker that has lost its keeper leaves, since it cannot start runners.
    static bool has_lost_its_keeper(const Life& life) {
        return std::ranges::count(life.blows, FaultKind::KillKeeper, &Blow::kind) > 0;
    }

    /// A drained worker gives up its results when the store is unreachable for too long, but not at the end of a run.
    static bool could_not_deliver(const Life& life) {
        return std::ranges::any_of(life.blows, [&](const Blow& blow) {
            return blow.kind == FaultKind::DrainWorker && life.seen_alive - blow.at >= delivery_patience;
        });
    }

    /// Workers and servers wait for an unreachable store, but not for one whose disk is full when they open it: that
    /// takes a person.
    [[nodiscard]] bool met_a_full_disk(const Life& life) const {
        return std::ranges::any_of(findings_.blows, [&](const Blow& blow) {
            return blow.kind == FaultKind::FillDisk && blow.at - end_margin <= life.seen_alive &&
                   life.seen_alive <= blow.at + blow.length + end_margin;
        });
    }

    /// A process that starts while two nodes of a cluster accept writes refuses both.
    [[nodiscard]] bool met_two_primaries(const Life& life) const {
        return std::ranges::any_of(findings_.blows, [&](const Blow& blow) {
            return (blow.kind == FaultKind::ZombiePrimary || blow.kind == FaultKind::FreezePrimary) &&
                   blow.at - end_margin <= life.seen_alive && life.seen_alive <= blow.at + blow.length + end_margin;
        });
    }

    const Findings& findings_;
    const LostHistory lost_;
    Unavoidable unavoidable_;
    Complaints found_;
    Book book_;
    std::unordered_map<Uuid, const TaskSeen*> tasks_;
    std::unordered_map<Uuid, const JobSeen*> jobs_;
};

}  // namespace

std::string_view to_text(Breach breach) {
    switch (breach) {
        case Breach::Lost:
            return "lost";
        case Breach::RanTwice:
            return "run twice against policy";
        case Breach::TwoAtOnce:
            return "two at once";
        case Breach::FalseVerdict:
            return "false verdicts";
        case Breach::Difference:
            return "ledger and store differ";
        case Breach::WrongEnd:
            return "ended against policy";
        case Breach::OutOfOrder:
            return "steps out of order";
        case Breach::Crash:
            return "crashes of our own";
        case Breach::LeaseTwice:
            return "lease numbers given twice";
        case Breach::StaleWrite:
            return "stale writes accepted";
        case Breach::Untold:
            return "lost submits not told";
        case Breach::Undelivered:
            return "lost ends not delivered";
    }
    return "";
}

std::vector<Complaint> judge(const Findings& findings, Unavoidable& unavoidable) {
    Inspection inspection(findings);
    std::vector<Complaint> found = inspection.run();
    unavoidable = inspection.unavoidable();
    return found;
}

std::vector<Complaint> judge(const Findings& findings) {
    Unavoidable ignored;
    return judge(findings, ignored);
}

}  // namespace holdfast::chaos
