#include "store/jobs/job_rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

std::vector<store::StepKey> due_waits(Database& db, Timestamp now, std::size_t limit) {
    return db.all("SELECT job_id, step, item FROM step WHERE wakes_at <= ? ORDER BY wakes_at LIMIT ?",
                  store::read_as<store::StepKey>, now, limit);
}

struct OverdueJob {
    Uuid job;
    JobState state = JobState::Running;
    Duration allowed{};
};

std::vector<OverdueJob> overdue_jobs(Database& db, Timestamp now, std::size_t limit) {
    return db
        .query(
            R"sql(SELECT p.job_id, p.started_at IS NOT NULL, p.deadline - coalesce(p.started_at, j.created_at)
                  FROM job_progress p CROSS JOIN job j ON j.id = p.job_id
                  WHERE p.deadline <= ? AND p.cancel_code IS NULL ORDER BY p.deadline LIMIT ?)sql",
            now, limit)
        .all([](const Query& row) {
            return OverdueJob{row.uuid(0), row.boolean(1) ? JobState::Running : JobState::Pending,
                              Duration(row.integer(2))};
        });
}

/// The jobs of the tree that have not ended, the deepest first.
std::vector<Uuid> open_jobs(Database& db, const Uuid& root) {
    return db.all(R"sql(SELECT id FROM (SELECT id, depth FROM job WHERE id = ?1
                        UNION ALL SELECT id, depth FROM job WHERE root_id = ?1 AND parent_id IS NOT NULL)
                        JOIN job_progress p ON p.job_id = id
                        WHERE p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED'
                        ORDER BY depth DESC, id)sql",
                  store::read_id, root);
}

/// An order to a job that a task of it has not heard of: a cancel, or a pause.
struct Unsteered {
    Uuid task;
    bool cancel = false;
    std::string reason;
};

std::vector<Unsteered> unsteered_tasks(Database& db, const Uuid& job) {
    return db
        .query(
            R"sql(SELECT s.task_id, p.cancel_code IS NOT NULL, p.cancel_reason FROM job_progress p
                    JOIN step s ON s.job_id = p.job_id
                  WHERE p.job_id = ?1 AND (p.cancel_code IS NOT NULL OR p.state = 'PAUSED')
                    AND (p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED')
                    AND s.task_id IS NOT NULL AND s.state = 'READY'
                    AND NOT EXISTS (SELECT 1 FROM ending x WHERE x.task_id = s.task_id))sql",
            job)
        .all([](const Query& row) {
            return Unsteered{row.uuid(0), row.boolean(1), row.string(2)};
        });
}

/// True: the task had not been told.
bool steer_task(Transaction& tx, const Unsteered& unsteered, const std::string& who) {
    if (!unsteered.cancel) return hold_task(tx, unsteered.task);
    const auto status = cancel_task(tx, unsteered.task, who, unsteered.reason, store::Cause::Rule);
    return status == store::CancelStatus::Cancelled || status == store::CancelStatus::Requested;
}

}  // namespace

std::size_t SqliteStore::end_due_waits(std::size_t limit) {
    if (limit == 0) return 0;
    const auto due =
        work_.read([&](Database& db) { return due_waits(db, clock_.now(), std::min(limit, store::max_batch_rows)); });
    if (due.empty() || end_waits(due)) return due.size();
    // One of their jobs cannot be advanced: it must not hold up the others.
    std::size_t ended = 0;
    for (const auto& step : due)
        if (end_waits({step})) ++ended;
    return ended;
}

/// False: one of their jobs cannot be advanced, and nothing was changed; repair reports it.
bool SqliteStore::end_waits(const std::vector<store::StepKey>& due) {
    return !store::fault_of_jobs<store::StoreError>(
        [&] { in_tree({}, "store", [&](store::Orchestrator& orchestrator) { orchestrator.time_came(due); }); });
}

std::size_t SqliteStore::cancel_overdue_jobs(std::size_t limit, const std::string& who) {
    if (limit == 0) return 0;
    const auto overdue = work_.read(
        [&](Database& db) { return overdue_jobs(db, clock_.now(), std::min(limit, store::max_batch_rows)); });
    std::size_t cancelled = 0;
    for (const auto& late : overdue) {
        const auto why = store::overdue_job(late.state, late.allowed);
        if (!cancel_overdue_job(late.job, why, who)) continue;
        ++cancelled;
        cancel_tasks_of(late.job, who, why.reason);
    }
    return cancelled;
}

/// False: it has ended, is being cancelled, or cannot be advanced, which repair reports.
bool SqliteStore::cancel_overdue_job(const Uuid& job, const store::Overdue& why, const std::string& who) {
    bool is_cancelled = false;
    const auto fault = store::fault_of_jobs<store::StoreError>([&] {
        in_tree(job, who, [&](store::Orchestrator& orchestrator) {
            is_cancelled = orchestrator.cancel(job, why.code, why.reason, store::Cause::Rule) == SteerStatus::Applied;
        });
    });
    return is_cancelled && !fault;
}

std::vector<Uuid> SqliteStore::open_roots(const store::RepairParams& params) {
    return work_.all(R"sql(SELECT p.job_id FROM job_progress p CROSS JOIN job j ON j.id = p.job_id
                           WHERE (p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED')
                             AND p.job_id > coalesce(?1, x'') AND j.parent_id IS NULL ORDER BY p.job_id LIMIT ?2)sql",
                     store::read_id, params.after, params.limit);
}

/// Tasks are steered after the repair: it may have ended some of them.
void SqliteStore::repair_tree(const Uuid& root, const std::string& who, store::RepairAnswer& answer) {
    write([&](Transaction& tx) {
        tx.who = who;
        const auto jobs = open_jobs(tx.db, root);
        orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            for (const auto& job : jobs) orchestrator.repair(job, answer);
            return true;
        });
        for (const auto& job : jobs)
            for (const auto& task : unsteered_tasks(tx.db, job))
                if (steer_task(tx, task, who)) ++answer.steered;
        return true;
    });
}

}  // namespace holdfast::sqlite
