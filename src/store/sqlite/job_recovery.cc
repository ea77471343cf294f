#include "store/encoding.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::StepKey;

std::vector<StepKey> due_waits(Database& db, Timestamp now, std::size_t limit) {
    std::vector<StepKey> steps;
    auto rows =
        db.query("SELECT job_id, step, item FROM step WHERE wakes_at <= ? ORDER BY wakes_at LIMIT ?", now, limit);
    while (rows.step()) steps.push_back({rows.uuid(0), rows.small(1), rows.small(2)});
    return steps;
}

struct OverdueJob {
    Uuid job;
    JobState state = JobState::Running;
    Duration allowed{};
};

std::vector<OverdueJob> overdue_jobs(Database& db, Timestamp now, std::size_t limit) {
    std::vector<OverdueJob> jobs;
    auto rows = db.query(
        "SELECT p.job_id, p.started_at IS NOT NULL, p.deadline - coalesce(p.started_at, j.created_at)"
        " FROM job_progress p CROSS JOIN job j ON j.id = p.job_id"
        " WHERE p.deadline <= ? AND p.cancel_code IS NULL ORDER BY p.deadline LIMIT ?",
        now, limit);
    while (rows.step())
        jobs.push_back(
            {rows.uuid(0), rows.integer(1) != 0 ? JobState::Running : JobState::Pending, Duration(rows.integer(2))});
    return jobs;
}

std::vector<Uuid> open_roots(Database& db, const store::RepairParams& params) {
    std::vector<Uuid> roots;
    auto rows = db.query(
        "SELECT p.job_id FROM job_progress p CROSS JOIN job j ON j.id = p.job_id"
        " WHERE (p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED')"
        " AND p.job_id > coalesce(?1, x'') AND j.parent_id IS NULL ORDER BY p.job_id LIMIT ?2",
        params.after, params.limit);
    while (rows.step()) roots.push_back(rows.uuid(0));
    return roots;
}

/// The jobs of the tree that have not ended, the deepest first.
std::vector<Uuid> open_jobs(Database& db, const Uuid& root) {
    std::vector<Uuid> jobs;
    auto rows = db.query(
        "SELECT id FROM (SELECT id, depth FROM job WHERE id = ?1"
        " UNION ALL SELECT id, depth FROM job WHERE root_id = ?1 AND parent_id IS NOT NULL)"
        " JOIN job_progress p ON p.job_id = id"
        " WHERE p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED' ORDER BY depth DESC, id",
        root);
    while (rows.step()) jobs.push_back(rows.uuid(0));
    return jobs;
}

/// What a task's job has asked for, as far as the task has not heard of it.
struct Unsteered {
    Uuid task;
    bool cancel = false;
    std::string reason;
};

std::vector<Unsteered> unsteered_tasks(Database& db, const Uuid& job) {
    std::vector<Unsteered> tasks;
    auto rows = db.query(
        "SELECT s.task_id, p.cancel_code IS NOT NULL, p.cancel_reason FROM job_progress p JOIN step s ON s.job_id = "
        "p.job_id"
        " WHERE p.job_id = ?1 AND (p.cancel_code IS NOT NULL OR p.state = 'PAUSED')"
        " AND (p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED')"
        " AND s.task_id IS NOT NULL AND s.state = 'READY'"
        " AND NOT EXISTS (SELECT 1 FROM ending x WHERE x.task_id = s.task_id)",
        job);
    while (rows.step()) tasks.push_back({rows.uuid(0), rows.integer(1) != 0, rows.string(2)});
    return tasks;
}

/// True: the task had not been told.
bool steer_task(Transaction& tx, const Unsteered& unsteered, const std::string& who) {
    if (!unsteered.cancel) return hold_task(tx, unsteered.task);
    const auto status = cancel_task(tx, unsteered.task, who, unsteered.reason);
    return status == store::CancelStatus::Cancelled || status == store::CancelStatus::Requested;
}

}  // namespace

std::size_t SqliteStore::end_due_waits(std::size_t limit) {
    if (limit == 0) return 0;
    const auto due =
        work_.read([&](Database& db) { return due_waits(db, clock_.now(), std::min(limit, store::max_batch_rows)); });
    if (due.empty() || end_waits(due)) return due.size();
    // One of their jobs cannot be advanced: the others are not to wait for it.
    std::size_t ended = 0;
    for (const auto& step : due)
        if (end_waits({step})) ++ended;
    return ended;
}

/// False: a job of them cannot be advanced, and nothing was changed.
bool SqliteStore::end_waits(const std::vector<store::StepKey>& due) {
    try {
        return write([&](Transaction& tx) {
            return orchestrate(tx, [&](store::Orchestrator& orchestrator) {
                orchestrator.time_came(due);
                return true;
            });
        });
    } catch (const store::Unavailable&) {
        throw;
    } catch (const store::Full&) {
        throw;
    } catch (const store::StoreError&) {  // repair tells of it
        return false;
    }
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

/// False: it has ended, is being cancelled, or cannot be advanced.
bool SqliteStore::cancel_overdue_job(const Uuid& job, const store::Overdue& why, const std::string& who) {
    try {
        return write([&](Transaction& tx) {
            tx.who = who;
            return orchestrate(tx, [&](store::Orchestrator& orchestrator) {
                return orchestrator.cancel(job, why.code, why.reason) == SteerStatus::Applied;
            });
        });
    } catch (const store::Unavailable&) {
        throw;
    } catch (const store::Full&) {
        throw;
    } catch (const store::StoreError&) {  // repair tells of it
        return false;
    }
}

store::RepairAnswer SqliteStore::repair_jobs(const store::RepairParams& params) {
    const auto roots = work_.read([&](Database& db) { return open_roots(db, params); });
    store::RepairAnswer answer;
    for (const auto& root : roots) {
        const auto before = answer;
        try {
            repair_tree(root, params.who, answer);
        } catch (const store::Unavailable&) {
            throw;
        } catch (const store::Full&) {
            throw;
        } catch (const std::exception& trouble) {
            answer = before;
            answer.poison.emplace_back(root, trouble.what());
        }
    }
    answer.more = !roots.empty() && roots.size() == params.limit;
    if (!roots.empty()) answer.last = roots.back();
    return answer;
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
