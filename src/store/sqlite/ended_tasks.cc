#include "store/encoding.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

std::vector<store::EndedTask> read_ended(Database& db, Timestamp since, Timestamp until) {
    std::vector<store::EndedTask> tasks;
    auto rows = db.query(
        "SELECT e.state, e.finished_at, e.run_at, e.started_at, t.name, r.queue"
        " FROM (SELECT task_id, state, finished_at, run_at, started_at FROM ending ORDER BY task_id DESC LIMIT ?3) e"
        " CROSS JOIN task t ON t.id = e.task_id CROSS JOIN route r ON r.id = t.route_id"
        " WHERE e.finished_at >= ?1 AND e.finished_at < ?2",
        since, until, store::most_ended_looked_at);
    while (rows.step())
        tasks.push_back({store::read_task_state(rows.text(0)), rows.time(1), rows.time(2), rows.optional_time(3),
                         rows.string(4), rows.string(5)});
    return tasks;
}

}  // namespace

store::EndedTasks SqliteStore::ended_tasks(Timestamp since, Timestamp until) {
    return work_.read([&](Database& db) {
        auto row = db.query("SELECT last FROM lease_number WHERE id = 1");
        row.step();
        return store::EndedTasks{read_ended(db, since, until), row.integer(0)};
    });
}

}  // namespace holdfast::sqlite
