#pragma once

#include "store/sqlite/database.h"
#include "store/worker_records.h"

namespace holdfast::sqlite {

/// Reads the columns id, number, name, status, hostname, boot_id, pid_namespace, pid, start_time, keeper_pid,
/// keeper_start_time, beat, beat_interval_us, fence_after_us, proves_session.
[[nodiscard]] store::WorkerLiveness read_liveness(const Query& row);

/// Reads the same, followed by cordoned, drain_requested, version, queues, tags, capacity, registered_at,
/// last_heartbeat, held.
[[nodiscard]] store::WorkerRecord read_worker(const Query& row, Timestamp now);

}  // namespace holdfast::sqlite
