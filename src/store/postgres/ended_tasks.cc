#include "store/encoding.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

store::EndedTasks PostgresStore::ended_tasks(Timestamp since, Timestamp until) {
    const auto last = work_.read("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM holdfast.lease_number");
    const auto rows = work_.read(
        "SELECT e.state, e.finished_at, e.run_at, e.started_at, t.name, r.queue"
        " FROM (SELECT task_id, state, finished_at, run_at, started_at FROM holdfast.ending"
        " ORDER BY task_id DESC LIMIT $3) e"
        " JOIN holdfast.task t ON t.id = e.task_id JOIN holdfast.route r ON r.id = t.route_id"
        " WHERE e.finished_at >= $1 AND e.finished_at < $2",
        since, until, static_cast<int>(store::most_ended_looked_at));
    store::EndedTasks ended{.tasks = {}, .last_lease = last.integer(0, 0)};
    for (int row = 0; row < rows.size(); ++row)
        ended.tasks.push_back({store::read_task_state(rows.text(row, 0)), rows.time(row, 1), rows.time(row, 2),
                               rows.optional_time(row, 3), rows.string(row, 4), rows.string(row, 5)});
    return ended;
}

}  // namespace holdfast::postgres
