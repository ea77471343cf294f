#pragma once

#include "store/postgres/wire.h"
#include "store/task_records.h"

namespace holdfast::postgres {

/// The columns that read_task() reads, as they are named in holdfast.tasks and holdfast.claimed().
#define HOLDFAST_TASK_COLUMNS                                                                              \
    "id, name, args, spec, priority, run_at, deadline, policy::text, concurrency_key, concurrency_limit, " \
    "idempotency_key, retry_of, traceparent"

/// Reads them from the start of a row. The queue and the tags are left to the caller.
[[nodiscard]] store::NewTask read_task(const Rows& rows, int row);

}  // namespace holdfast::postgres
