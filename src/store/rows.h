#pragma once

#include <tuple>

#include "core/task/task_options.h"
#include "store/encoding.h"
#include "store/server_store.h"
#include "store/store.h"

/// How rows become records, and some records rows, for both stores: a row is a sqlite::Query that stands on one, or a
/// postgres::Row. The function columns_of() of a record lists the members that its columns are read into, in the
/// order of the columns. It stands below the names of the columns, where both stores name them alike; where their SQL
/// differs, the order is the same. Rows that jobs are made of are described in store/jobs/job_rows.h.
namespace holdfast::store {

// ---- Members that take several columns
// ------------------------------------------------------------------------------

inline auto columns_of(TaskError& error) {
    return std::tie(error.code, error.message, error.data);
}
inline auto columns_of(ConcurrencyKey& concurrency) {
    return std::tie(concurrency.key, concurrency.limit);
}
inline auto columns_of(Progress& progress) {
    return std::tie(progress.fraction, progress.text, progress.at);
}
inline auto columns_of(core::History& history) {
    return std::tie(history.attempts, history.crashes, history.requeues);
}
inline auto columns_of(TaskLease& lease) {
    return std::tie(lease.task, lease.lease);
}

template <typename Record>
concept HasColumns = requires(Record& record) {
    columns_of(record);
};

// ---- Reading
// --------------------------------------------------------------------------------------------------------

/// A stored policy that cannot be read counts as none: the defaults neither repeat nor requeue anything.
template <typename Row>
[[nodiscard]] TaskPolicy read_policy(const Row& row, int column) {
    if (row.is_null(column)) return {};
    auto policy = core::decode_policy(row.text(column));
    return policy.ok() ? std::move(policy).value() : TaskPolicy{};
}

/// Reads the columns of a row, from left to right, into members of a record. The type of a member says how its column
/// is read; NULL is read as a nil id, an empty text or a missing optional, which is missing when its first column is.
template <typename Row>
class ColumnReader {
public:
    explicit ColumnReader(const Row& row, int first = 0) : row_(row), next_(first) {}

    template <typename... Members>
    void read(Members&... members) {
        (read_one(members), ...);
    }

private:
    void read_one(Uuid& id) { id = row_.uuid(next_++); }
    void read_one(std::string& text) { text = row_.text(next_++); }
    void read_one(bool& flag) { flag = row_.boolean(next_++); }
    void read_one(int& number) { number = row_.small(next_++); }
    void read_one(std::int64_t& number) { number = row_.integer(next_++); }
    void read_one(std::uint64_t& number) { number = static_cast<std::uint64_t>(row_.integer(next_++)); }
    void read_one(double& number) { number = row_.real(next_++); }
    void read_one(Timestamp& time) { time = row_.time(next_++); }
    void read_one(Duration& duration) { duration = Duration(row_.integer(next_++)); }
    void read_one(std::vector<std::string>& texts) { texts = row_.strings(next_++); }
    void read_one(std::vector<HeldLease>& held) { held = decode_held(row_.text(next_++)); }
    void read_one(TaskPolicy& policy) { policy = read_policy(row_, next_++); }
    template <Worded Enum>
    void read_one(Enum& value) {
        value = read_word<Enum>(row_.text(next_++));
    }
    template <HasColumns Record>
    void read_one(Record& record) {
        std::apply([this](auto&... members) { this->read(members...); }, columns_of(record));
    }
    template <typename T>
    void read_one(std::optional<T>& value) {
        value.reset();
        if (!row_.is_null(next_))
            read_one(value.emplace());
        else if constexpr (HasColumns<T>)
            next_ += static_cast<int>(std::tuple_size_v<decltype(columns_of(std::declval<T&>()))>);
        else
            ++next_;
    }

    const Row& row_;
    int next_;
};

/// Makes a record of a whole row.
template <typename Record>
inline constexpr auto read_as = [](const auto& row) {
    Record record{};
    ColumnReader(row).read(record);
    return record;
};
inline constexpr auto read_id = read_as<Uuid>;  ///< the first column

/// Three columns (attempts, crashes, requeues).
template <typename Row>
[[nodiscard]] core::History read_history(const Row& row, int column) {
    core::History history;
    ColumnReader(row, column).read(history);
    return history;
}

// ---- Writing
// --------------------------------------------------------------------------------------------------------

/// An empty text stands as NULL.
[[nodiscard]] inline std::optional<std::string_view> unless_empty(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

/// An error as the values of its three columns, which are views of it.
[[nodiscard]] inline auto column_values(const std::optional<TaskError>& error) {
    using Text = std::optional<std::string_view>;
    return error ? std::tuple(Text(error->code), Text(error->message), unless_empty(error->data))
                 : std::tuple<Text, Text, Text>();
}

// ---- Tasks
// ----------------------------------------------------------------------------------------------------------

/// id, name, args, spec, priority, run_at, deadline, policy, concurrency_key, concurrency_limit, idempotency_key,
/// retry_of, traceparent. The queue and the tags are left to the caller.
inline auto columns_of(NewTask& task) {
    return std::tie(task.id, task.name, task.args, task.spec, task.priority, task.run_at, task.deadline, task.policy,
                    task.concurrency, task.idempotency_key, task.retry_of, task.traceparent);
}
inline constexpr auto read_task = read_as<NewTask>;

/// The same, followed by queue, tags, created_at, state, waits_for, attempts, crashes, requeues, lease, worker_id,
/// claimed_at, started_at, finished_at, cancel_requested, result, the error, fraction, text and time of the progress,
/// checkpoint.
inline auto columns_of(TaskRecord& record) {
    return std::tie(record.task, record.task.queue, record.task.tags, record.created_at, record.state,
                    record.waits_for, record.history, record.lease, record.worker, record.claimed_at,
                    record.started_at, record.finished_at, record.cancel_requested, record.result, record.error,
                    record.progress, record.checkpoint);
}

#define HOLDFAST_ATTEMPT_COLUMNS                                                                                    \
    "task_id, attempt, lease, worker_id, claimed_at, started_at, finished_at, run_end, error_code, error_message, " \
    "error_data"
inline auto columns_of(AttemptRecord& attempt) {
    return std::tie(attempt.task, attempt.number, attempt.lease, attempt.worker, attempt.claimed_at,
                    attempt.started_at, attempt.finished_at, attempt.end, attempt.error);
}

#define HOLDFAST_EVENT_COLUMNS "id, at, kind, task_id, worker_id, who, message, data, job_id, queue, is_order"
inline auto columns_of(EventRecord& event) {
    return std::tie(event.id, event.at, event.kind, event.task, event.worker, event.who, event.message, event.data,
                    event.job, event.queue, event.is_order);
}

#define HOLDFAST_LOG_COLUMNS "id, task_id, lease, sequence, stream, text, at"
inline auto columns_of(LogRecord& log) {
    auto& chunk = log.chunk;
    return std::tie(log.offset, chunk.task, chunk.lease, chunk.sequence, chunk.stream, chunk.text, chunk.at);
}

/// state, finished_at, run_at, started_at, name, queue.
inline auto columns_of(EndedTask& task) {
    return std::tie(task.state, task.finished_at, task.run_at, task.started_at, task.name, task.queue);
}

/// task_id, lease, worker_id, claimed_at, started_at, concurrency_key, attempts, crashes, requeues, stop_requested,
/// unlisted_beats, and the task's name, policy and spec.
inline constexpr auto read_lease_record = [](const auto& row) {
    LeaseRecord record;
    std::string key, stop_requested;
    ColumnReader(row).read(record.lease, record.worker, record.claimed_at, record.started_at, key, record.history,
                           stop_requested, record.unlisted_beats, record.name, record.policy, record.spec);
    record.started = record.started_at.has_value();
    record.holds_key = !key.empty();
    record.cancel_requested = stop_requested == "cancel";
    return record;
};

/// route, queue, tags, paused, number of claimable tasks, the oldest of them, its run_at, and the store's time.
inline constexpr auto read_backlog = [](const auto& row) {
    RouteBacklog backlog;
    int route = 0;
    Timestamp run_at, now;
    ColumnReader(row).read(route, backlog.queue, backlog.tags, backlog.paused, backlog.ready, backlog.oldest, run_at,
                           now);
    backlog.route = route;
    backlog.oldest_waits = now - run_at;
    return backlog;
};

/// name, paused, pending, in flight.
inline auto columns_of(QueueRecord& queue) {
    return std::tie(queue.name, queue.paused, queue.pending, queue.in_flight);
}

/// key, queue, max_slots, declared, held, waiting.
inline auto columns_of(KeyRecord& record) {
    auto& [key, queue, limit] = record.key;
    return std::tie(key, queue, limit, record.declared, record.held, record.waiting);
}

// ---- Workers, sweeps and servers
// ------------------------------------------------------------------------------------

#define HOLDFAST_LIVENESS_COLUMNS                                                                                  \
    "w.id, w.number, w.name, w.status, w.hostname, w.boot_id, w.pid_namespace, w.pid, w.start_time, w.keeper_pid," \
    " w.keeper_start_time, w.beat, w.beat_interval_us, w.fence_after_us, w.proves_session, w.via,"                 \
    " coalesce(w.disconnected_at_beat = w.beat, false), coalesce(w.exited_at_beat = w.beat, false)"
inline auto columns_of(HostIdentity& host) {
    return std::tie(host.hostname, host.boot_id, host.pid_namespace, host.pid, host.start_time, host.keeper_pid,
                    host.keeper_start_time);
}
inline auto columns_of(WorkerLiveness& worker) {
    return std::tie(worker.id, worker.number, worker.name, worker.status, worker.host, worker.beat,
                    worker.beat_interval, worker.fence_after, worker.proves_session, worker.via, worker.disconnected,
                    worker.exited);
}

/// The same, followed by cordoned, drain_requested, version, queues, tags, capacity, secret_hash, registered_at,
/// last_heartbeat, held as text, and the store's time.
inline constexpr auto read_worker = [](const auto& row) {
    WorkerRecord worker;
    auto& said = worker.registration;
    bool disconnected = false, exited = false;
    Timestamp now;
    ColumnReader(row).read(said.id, worker.number, said.name, worker.status, said.host, worker.beat,
                           said.beat_interval, said.fence_after, worker.proves_session, said.via, disconnected,
                           exited, worker.cordoned, worker.drain_requested, said.version, said.queues, said.tags,
                           said.capacity, said.secret_hash, worker.registered_at, worker.last_heartbeat, worker.held,
                           now);
    if (worker.last_heartbeat) worker.seconds_ago = now - *worker.last_heartbeat;
    return worker;
};

#define HOLDFAST_SNAPSHOT_COLUMNS "worker_id, at, running, claimed, capacity, cpu_percent, memory_mb, load"
inline auto columns_of(WorkerSnapshot& snapshot) {
    return std::tie(snapshot.worker, snapshot.at, snapshot.running, snapshot.claimed, snapshot.capacity,
                    snapshot.cpu_percent, snapshot.memory_mb, snapshot.load);
}

#define HOLDFAST_NOTE_COLUMNS "service, who, at, did, failure"
inline auto columns_of(SweepNote& note) {
    return std::tie(note.service, note.who, note.at, note.did, note.failure);
}

#define HOLDFAST_TOKEN_COLUMNS \
    "id, name, hash, scope, queues, expires_at, who, created_at, revoked_at, last_used_at, last_used_from"
inline auto columns_of(TokenRecord& record) {
    auto& [id, name, hash, scope, queues, expires_at, who] = record.token;
    return std::tie(id, name, hash, scope, queues, expires_at, who, record.created_at, record.revoked_at,
                    record.last_used_at, record.last_used_from);
}

#define HOLDFAST_SESSION_COLUMNS                                                                               \
    "s.id, s.hash, s.token_id, s.created_from, s.created_at, s.last_used_at, s.last_used_from, t.id, t.name, " \
    "t.hash,"                                                                                                  \
    " t.scope, t.queues, t.expires_at, t.who, t.created_at, t.revoked_at, t.last_used_at, t.last_used_from"
inline auto columns_of(SessionRecord& record) {
    auto& [id, hash, token, from] = record.session;
    return std::tie(id, hash, token, from, record.created_at, record.last_used_at, record.last_used_from,
                    record.token);
}

/// id, hostname, pid, version, address, sweeping, started_at, last_heartbeat, and the store's time.
inline constexpr auto read_replica = [](const auto& row) {
    ReplicaRecord record;
    auto& [id, hostname, pid, version, address, sweeping] = record.replica;
    Timestamp now;
    ColumnReader(row).read(id, hostname, pid, version, address, sweeping, record.started_at, record.last_heartbeat,
                           now);
    record.seconds_ago = now - record.last_heartbeat;
    return record;
};

}  // namespace holdfast::store
