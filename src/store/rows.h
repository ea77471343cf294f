#pragma once

#include "core/task/policy_text.h"
#include "store/encoding.h"
#include "store/server_store.h"
#include "store/store.h"

/// How rows become records, for both stores: a row is a sqlite::Query that stands on one, or a postgres::Row. Above
/// each reader stand the columns that it reads, where both stores name them alike; where their SQL differs, the order
/// is the same. Rows that jobs are made of are read in store/jobs/job_rows.h.
namespace holdfast::store {

/// The first column.
inline constexpr auto read_id = [](const auto& row) { return row.uuid(0); };

/// Three columns (code, message, data); nullopt when the first is NULL.
template <typename Row>
[[nodiscard]] std::optional<TaskError> read_error(const Row& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return TaskError{row.string(column), row.string(column + 1), row.string(column + 2)};
}

/// A stored policy that cannot be read counts as none: the defaults neither repeat nor requeue anything.
template <typename Row>
[[nodiscard]] TaskPolicy read_policy(const Row& row, int column) {
    if (row.is_null(column)) return {};
    auto policy = core::decode_policy(row.text(column));
    return policy.ok() ? std::move(policy).value() : TaskPolicy{};
}

/// Three columns (attempts, crashes, requeues).
template <typename Row>
[[nodiscard]] core::History read_history(const Row& row, int column) {
    return {row.small(column), row.small(column + 1), row.small(column + 2)};
}

/// id, name, args, spec, priority, run_at, deadline, policy, concurrency_key, concurrency_limit, idempotency_key,
/// retry_of, traceparent. The queue and the tags are left to the caller.
inline constexpr auto read_task = [](const auto& row) {
    NewTask task;
    task.id = row.uuid(0);
    task.name = row.string(1);
    task.args = row.string(2);
    task.spec = row.string(3);
    task.priority = row.small(4);
    task.run_at = row.time(5);
    task.deadline = row.optional_time(6);
    task.policy = read_policy(row, 7);
    if (!row.is_null(8)) task.concurrency = ConcurrencyKey{row.string(8), row.small(9)};
    task.idempotency_key = row.string(10);
    task.retry_of = row.uuid(11);
    task.traceparent = row.string(12);
    return task;
};

/// The same, followed by queue, tags, created_at, state, waits_for, attempts, crashes, requeues, lease, worker_id,
/// claimed_at, started_at, finished_at, cancel_requested, result, the error, fraction, text and time of the progress,
/// checkpoint.
inline constexpr auto read_task_record = [](const auto& row) {
    TaskRecord record;
    record.task = read_task(row);
    record.task.queue = row.string(13);
    record.task.tags = row.strings(14);
    record.created_at = row.time(15);
    record.state = read_task_state(row.text(16));
    record.waits_for = read_wait_reason(row.text(17));
    record.history = read_history(row, 18);
    record.lease = row.integer(21);
    record.worker = row.uuid(22);
    record.claimed_at = row.optional_time(23);
    record.started_at = row.optional_time(24);
    record.finished_at = row.optional_time(25);
    record.cancel_requested = row.boolean(26);
    record.result = row.string(27);
    record.error = read_error(row, 28);
    if (!row.is_null(31)) record.progress = Progress{row.real(31), row.string(32), row.time(33)};
    record.checkpoint = row.string(34);
    return record;
};

#define HOLDFAST_ATTEMPT_COLUMNS                                                                                    \
    "task_id, attempt, lease, worker_id, claimed_at, started_at, finished_at, run_end, error_code, error_message, " \
    "error_data"
inline constexpr auto read_attempt = [](const auto& row) {
    return AttemptRecord{.task = row.uuid(0),
                         .number = row.small(1),
                         .lease = row.integer(2),
                         .worker = row.uuid(3),
                         .claimed_at = row.time(4),
                         .started_at = row.time(5),
                         .finished_at = row.time(6),
                         .end = read_lease_end(row.text(7)),
                         .error = read_error(row, 8)};
};

#define HOLDFAST_EVENT_COLUMNS "id, at, kind, task_id, worker_id, who, message, data, job_id"
inline constexpr auto read_event = [](const auto& row) {
    return EventRecord{.id = row.integer(0),
                       .at = row.time(1),
                       .kind = row.string(2),
                       .task = row.uuid(3),
                       .worker = row.uuid(4),
                       .who = row.string(5),
                       .message = row.string(6),
                       .data = row.string(7),
                       .job = row.uuid(8)};
};

#define HOLDFAST_LOG_COLUMNS "id, task_id, lease, sequence, stream, text, at"
inline constexpr auto read_log = [](const auto& row) {
    return LogRecord{row.integer(0),
                     {row.uuid(1), row.integer(2), row.small(3), row.string(4), row.string(5), row.time(6)}};
};

/// state, finished_at, run_at, started_at, name, queue.
inline constexpr auto read_ended_task = [](const auto& row) {
    return EndedTask{read_task_state(row.text(0)), row.time(1),   row.time(2),
                     row.optional_time(3),         row.string(4), row.string(5)};
};

/// task_id, lease, worker_id, claimed_at, started_at, concurrency_key, attempts, crashes, requeues, stop_requested,
/// unlisted_beats, and the task's name, policy and spec.
inline constexpr auto read_lease_record = [](const auto& row) {
    LeaseRecord record;
    record.lease = {row.uuid(0), row.integer(1)};
    record.worker = row.uuid(2);
    record.claimed_at = row.time(3);
    record.started_at = row.optional_time(4);
    record.started = record.started_at.has_value();
    record.holds_key = !row.is_null(5);
    record.history = read_history(row, 6);
    record.cancel_requested = row.text(9) == "cancel";
    record.unlisted_beats = row.small(10);
    record.name = row.string(11);
    record.policy = read_policy(row, 12);
    record.spec = row.string(13);
    return record;
};

#define HOLDFAST_LIVENESS_COLUMNS                                                                                  \
    "w.id, w.number, w.name, w.status, w.hostname, w.boot_id, w.pid_namespace, w.pid, w.start_time, w.keeper_pid," \
    " w.keeper_start_time, w.beat, w.beat_interval_us, w.fence_after_us, w.proves_session"
inline constexpr auto read_liveness = [](const auto& row) {
    WorkerLiveness worker;
    worker.id = row.uuid(0);
    worker.number = row.integer(1);
    worker.name = row.string(2);
    worker.status = read_worker_status(row.text(3));
    worker.host = {.hostname = row.string(4),
                   .boot_id = row.string(5),
                   .pid_namespace = static_cast<std::uint64_t>(row.integer(6)),
                   .pid = row.small(7),
                   .start_time = static_cast<std::uint64_t>(row.integer(8)),
                   .keeper_pid = row.small(9),
                   .keeper_start_time = static_cast<std::uint64_t>(row.integer(10))};
    worker.beat = row.integer(11);
    worker.beat_interval = Duration(row.integer(12));
    worker.fence_after = Duration(row.integer(13));
    worker.proves_session = row.boolean(14);
    return worker;
};

/// The columns of read_liveness, followed by cordoned, drain_requested, version, queues, tags, capacity,
/// registered_at, last_heartbeat, held as text, and the store's time.
inline constexpr auto read_worker = [](const auto& row) {
    auto liveness = read_liveness(row);
    WorkerRecord worker;
    worker.number = liveness.number;
    worker.status = liveness.status;
    worker.beat = liveness.beat;
    worker.proves_session = liveness.proves_session;
    worker.cordoned = row.boolean(15);
    worker.drain_requested = row.boolean(16);
    worker.registered_at = row.time(21);
    worker.last_heartbeat = row.optional_time(22);
    if (worker.last_heartbeat) worker.seconds_ago = row.time(24) - *worker.last_heartbeat;
    worker.held = decode_held(row.text(23));
    worker.registration = {.id = liveness.id,
                           .name = std::move(liveness.name),
                           .host = std::move(liveness.host),
                           .version = row.string(17),
                           .queues = row.strings(18),
                           .tags = row.strings(19),
                           .capacity = row.small(20),
                           .beat_interval = liveness.beat_interval,
                           .fence_after = liveness.fence_after};
    return worker;
};

#define HOLDFAST_SNAPSHOT_COLUMNS "worker_id, at, running, claimed, capacity, cpu_percent, memory_mb, load"
inline constexpr auto read_snapshot = [](const auto& row) {
    return WorkerSnapshot{row.uuid(0),  row.time(1), row.small(2), row.small(3),
                          row.small(4), row.real(5), row.real(6),  row.real(7)};
};

#define HOLDFAST_NOTE_COLUMNS "service, who, at, did, failure"
inline constexpr auto read_sweep_note = [](const auto& row) {
    return SweepNote{row.string(0), row.string(1), row.time(2), row.string(3), row.string(4)};
};

/// route, queue, tags, paused, number of claimable tasks, the oldest of them, its run_at, and the store's time.
inline constexpr auto read_backlog = [](const auto& row) {
    return RouteBacklog{.route = row.small(0),
                        .queue = row.string(1),
                        .tags = row.strings(2),
                        .ready = row.integer(4),
                        .oldest = row.uuid(5),
                        .oldest_waits = row.time(7) - row.time(6),
                        .paused = row.boolean(3)};
};

/// name, paused, pending, in flight.
inline constexpr auto read_queue = [](const auto& row) {
    return QueueRecord{row.string(0), row.boolean(1), row.integer(2), row.integer(3)};
};

/// key, queue, max_slots, declared, held, waiting.
inline constexpr auto read_key = [](const auto& row) {
    return KeyRecord{.key = {row.string(0), row.string(1), row.small(2)},
                     .declared = row.boolean(3),
                     .held = row.integer(4),
                     .waiting = row.integer(5)};
};

#define HOLDFAST_TOKEN_COLUMNS \
    "id, name, hash, scope, queues, expires_at, who, created_at, revoked_at, last_used_at, last_used_from"
inline constexpr auto read_token = [](const auto& row) {
    TokenRecord record;
    record.token = {.id = row.uuid(0),
                    .name = row.string(1),
                    .hash = row.string(2),
                    .scope = read_scope(row.text(3)),
                    .queues = row.strings(4),
                    .expires_at = row.optional_time(5),
                    .who = row.string(6)};
    record.created_at = row.time(7);
    record.revoked_at = row.optional_time(8);
    record.last_used_at = row.optional_time(9);
    record.last_used_from = row.string(10);
    return record;
};

/// id, hostname, pid, version, address, sweeping, started_at, last_heartbeat, and the store's time.
inline constexpr auto read_replica = [](const auto& row) {
    return ReplicaRecord{.replica = {.id = row.uuid(0),
                                     .hostname = row.string(1),
                                     .pid = row.small(2),
                                     .version = row.string(3),
                                     .address = row.string(4),
                                     .sweeping = row.boolean(5)},
                         .started_at = row.time(6),
                         .last_heartbeat = row.time(7),
                         .seconds_ago = row.time(8) - row.time(7)};
};

}  // namespace holdfast::store
