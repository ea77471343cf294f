#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

bool belongs_to_step(Database& db, const Uuid& task) {
    return db.finds("SELECT 1 FROM step WHERE task_id = ?", task);
}

bool belongs_to_pending_job(Database& db, const Uuid& task) {
    return db.finds(R"sql(SELECT 1 FROM step s CROSS JOIN job_progress p ON p.job_id = s.job_id
                          WHERE s.task_id = ? AND p.state = 'PENDING')sql",
                    task);
}

/// One query for all of them: tasks without a job that were submitted together have no step's task between their ids.
bool may_belong_to_steps(Database& db, const std::vector<store::JustEnded>& ended, const std::vector<Uuid>& started) {
    auto tasks = started;
    for (const auto& end : ended) tasks.push_back(end.task);
    if (tasks.size() < 2) return !tasks.empty();  // it is asked about by itself
    const auto range = range_of(tasks);
    return db.finds("SELECT 1 FROM step WHERE task_id BETWEEN ? AND ? LIMIT 1", range.first, range.last);
}

}  // namespace

void SqliteStore::settle(Transaction& tx) {
    advance_jobs(tx);
    for (const auto& [route, key] : std::exchange(tx.freed_keys, {})) unpark(tx, route, key);
}

void SqliteStore::advance_jobs(Transaction& tx) {
    auto news = std::exchange(tx.ended_tasks, {});
    auto started = std::exchange(tx.started_tasks, {});
    if (!may_belong_to_steps(tx.db, news, started)) return;
    std::erase_if(news, [&](const store::JustEnded& end) { return !belongs_to_step(tx.db, end.task); });
    std::erase_if(started, [&](const Uuid& task) { return !belongs_to_pending_job(tx.db, task); });
    if (news.empty() && started.empty()) return;
    if (!try_to_advance(tx, news, started)) return;
    // One of the jobs cannot be advanced. Its tasks have ended all the same, and the other jobs must hear of theirs.
    for (const auto& end : news)
        if (const auto trouble = try_to_advance(tx, {end}, {}))
            write_event(tx, store::job_stuck_event(end.task, tx.who, *trouble));
    for (const auto& task : started) try_to_advance(tx, {}, {task});
}

std::optional<std::string> SqliteStore::try_to_advance(Transaction& tx, const std::vector<store::JustEnded>& ended,
                                                       const std::vector<Uuid>& started) {
    tx.db.run("SAVEPOINT advance");
    const auto fault = store::fault_of_jobs<std::exception>([&] {
        orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            orchestrator.tasks_started(started);
            orchestrator.tasks_ended(ended);
            return true;
        });
    });
    if (fault) {
        tx.db.run("ROLLBACK TO advance");
        routes_.forget();
    }
    tx.db.run("RELEASE advance");
    return fault;
}

}  // namespace holdfast::sqlite
