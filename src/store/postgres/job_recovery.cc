#include <set>

#include "store/jobs/job_rows.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

/// Why the job is to be cancelled; nullopt: it was steered since it was found.
std::optional<store::Overdue> overdue(Transaction& tx, const Uuid& job) {
    const auto row = tx.run(
        R"sql(SELECT p.started_at IS NOT NULL,
                (extract(epoch FROM p.deadline - coalesce(p.started_at, j.created_at)) * 1000000)::bigint
              FROM holdfast.job_progress p JOIN holdfast.job j ON j.id = p.job_id
              WHERE p.job_id = $1 AND p.deadline <= holdfast.now() AND p.cancel_code IS NULL)sql",
        job);
    if (row.empty()) return std::nullopt;
    return store::overdue_job(row[0].boolean(0) ? JobState::Running : JobState::Pending, Duration(row[0].integer(1)));
}

/// A claim that found the tree locked has not marked the job as started.
std::vector<Uuid> started_tasks(Transaction& tx, const Uuid& job) {
    return tx.all("SELECT holdfast.started_tasks($1)", store::read_id, job);
}

std::vector<Uuid> open_jobs(Transaction& tx, const Uuid& root) {
    return tx.all("SELECT id FROM holdfast.tree_of($1)", store::read_id, root);
}

}  // namespace

std::size_t PostgresStore::end_due_waits(std::size_t limit) {
    if (limit == 0) return 0;
    const auto due =
        work_.all("SELECT job_id, step, item FROM holdfast.due_waits($1)", store::read_as<store::StepKey>,
                  static_cast<int>(std::min(limit, store::max_batch_rows)));
    if (due.empty()) return 0;
    std::size_t ended = 0;
    const auto end = [&](const std::vector<store::StepKey>& steps) {
        return !store::fault_of_jobs<store::StoreError>([&] { ended += end_waits(steps); });
    };
    if (end(due)) return ended;
    // One of their jobs cannot be advanced: it must not hold up the others. Repair reports it.
    for (const auto& step : due) (void)end({step});
    return ended;
}

/// Leaves out steps of trees that another transaction works on.
std::size_t PostgresStore::end_waits(const std::vector<store::StepKey>& due) {
    std::vector<Uuid> jobs;
    for (const auto& step : due) jobs.push_back(step.job);
    return transact([&](Transaction& tx) {
        const auto locked = tx.all("SELECT holdfast.lock_idle_trees($1)", store::read_id, jobs);
        const std::set<Uuid> held(locked.begin(), locked.end());
        std::vector<store::StepKey> ended = due;
        std::erase_if(ended, [&](const store::StepKey& step) { return !held.contains(step.job); });
        if (ended.empty()) return std::size_t{0};
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            orchestrator.time_came(ended);
            return ended.size();
        });
    });
}

std::size_t PostgresStore::cancel_overdue_jobs(std::size_t limit, const std::string& who) {
    if (limit == 0) return 0;
    const auto late = work_.all("SELECT holdfast.overdue_jobs($1)", store::read_id,
                                static_cast<int>(std::min(limit, store::max_batch_rows)));
    std::size_t cancelled = 0;
    for (const auto& job : late)
        (void)store::fault_of_jobs<store::StoreError>([&] {
            if (!cancel_overdue(job, who)) return;
            ++cancelled;
            cancel_tasks_of(job, who);
        });
    return cancelled;
}

bool PostgresStore::cancel_overdue(const Uuid& job, const std::string& who) {
    return transact([&](Transaction& tx) {
        tx.who = who;
        lock_trees(tx, {job});
        if (const auto started = started_tasks(tx, job); !started.empty())
            orchestrate(tx, [&](store::Orchestrator& orchestrator) {
                orchestrator.tasks_started(started);
                return true;
            });
        const auto why = overdue(tx, job);
        if (!why) return false;
        return orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            return orchestrator.cancel(job, why->code, why->reason, store::Cause::Rule) == SteerStatus::Applied;
        });
    });
}

std::vector<Uuid> PostgresStore::open_roots(const store::RepairParams& params) {
    return work_.all("SELECT holdfast.open_roots($1, $2)", store::read_id, params.after,
                     static_cast<int>(params.limit));
}

/// Tasks are steered after the repair: it may have ended some of them.
void PostgresStore::repair_tree(const Uuid& root, const std::string& who, store::RepairAnswer& answer) {
    answer = transact([&, so_far = answer](Transaction& tx) {
        auto repaired = so_far;
        tx.who = who;
        lock_trees(tx, {root});
        const auto jobs = open_jobs(tx, root);
        orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            for (const auto& job : jobs) {
                orchestrator.tasks_started(started_tasks(tx, job));  // a claim passes by trees that are locked
                orchestrator.repair(job, repaired);
            }
            return true;
        });
        repaired.steered += steer_tasks(tx, jobs);
        return repaired;
    });
    answer.steered += static_cast<int>(cancel_tasks_of(root, who));
}

/// Holds and releases the tasks that a pause or resume has missed. Returns how many.
int PostgresStore::steer_tasks(Transaction& tx, const std::vector<Uuid>& jobs) {
    const auto rows = tx.run("SELECT job_id, is_paused, tasks FROM holdfast.jobs_to_steer($1)", jobs);
    std::vector<Uuid> paused, resumed;
    int tasks = 0;
    for (const Row row : rows) {
        (row.boolean(1) ? paused : resumed).push_back(row.uuid(0));
        tasks += static_cast<int>(row.integer(2));
    }
    PostgresJobTables tables(tx, routes_, params_.limits);
    if (!paused.empty()) tables.hold_tasks(paused);
    if (!resumed.empty()) tables.release_tasks(resumed);
    tx.brings_work |= !resumed.empty();
    return tasks;
}

}  // namespace holdfast::postgres
