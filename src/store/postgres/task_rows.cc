#include "store/postgres/task_rows.h"

#include "store/postgres/endings.h"

namespace holdfast::postgres {

store::NewTask read_task(const Rows& rows, int row) {
    store::NewTask task;
    task.id = rows.uuid(row, 0);
    task.name = rows.string(row, 1);
    task.args = rows.string(row, 2);
    task.spec = rows.string(row, 3);
    task.priority = rows.small(row, 4);
    task.run_at = rows.time(row, 5);
    task.deadline = rows.optional_time(row, 6);
    task.policy = read_policy(rows, row, 7);
    if (!rows.is_null(row, 8)) task.concurrency = ConcurrencyKey{rows.string(row, 8), rows.small(row, 9)};
    task.idempotency_key = rows.string(row, 10);
    task.retry_of = rows.uuid(row, 11);
    task.traceparent = rows.string(row, 12);
    return task;
}

}  // namespace holdfast::postgres
