#pragma once

#include "store/postgres/wire.h"
#include "store/worker_records.h"

namespace holdfast::postgres {

/// Reads the columns id, number, name, status, hostname, boot_id, pid_namespace, pid, start_time, keeper_pid,
/// keeper_start_time, beat, beat_interval_us, fence_after_us, proves_session.
[[nodiscard]] store::WorkerLiveness read_liveness(const Rows& rows, int row);

/// Reads the same, followed by cordoned, drain_requested, version, queues, tags, capacity, registered_at,
/// last_heartbeat, held, now.
[[nodiscard]] store::WorkerRecord read_worker(const Rows& rows, int row);

}  // namespace holdfast::postgres
