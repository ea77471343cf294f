#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/task_records.h"

namespace holdfast::store {

/// Which machine and process a worker is, so that others on the same host can see whether it is gone.
struct HostIdentity {
    std::string hostname;
    std::string boot_id;
    std::uint64_t pid_namespace = 0;
    int pid = 0;
    std::uint64_t start_time = 0;  ///< clock ticks since boot, of that pid
    int keeper_pid = 0;            ///< 0: has none
    std::uint64_t keeper_start_time = 0;

    friend bool operator==(const HostIdentity&, const HostIdentity&) = default;
};

/// Beside an SQLite file: the file in which each worker has a byte locked for as long as it lives,
/// "<database>-workers".
inline constexpr std::string_view life_lock_suffix = "-workers";

enum class WorkerStatus { Active, Draining, Inactive };
constexpr auto words_of(WorkerStatus) {
    using enum WorkerStatus;
    return words<WorkerStatus>({{Active, "active"}, {Draining, "draining"}, {Inactive, "inactive"}});
}

/// What stands between a worker and the store.
enum class Via {
    Store,   ///< nothing: it has a connection of its own
    Server,  ///< a server: only its beats, and what servers report, are evidence about it
};
constexpr auto words_of(Via) {
    return words<Via>({{Via::Store, "store"}, {Via::Server, "server"}});
}

struct WorkerRegistration {
    Uuid id;  ///< random, new at every start of the process
    std::string name;
    HostIdentity host;
    std::string version;
    std::vector<std::string> queues;
    std::vector<std::string> tags;
    int capacity = 1;
    Duration beat_interval = std::chrono::seconds(3);
    Duration fence_after =
        std::chrono::seconds(15);  ///< after its last acknowledged beat it has surely fenced itself
    Via via = Via::Store;
    /// Of a worker behind a server: the hash of the secret that its calls carry, SHA-256 in hexadecimal. This and
    /// `via` stay as they were when the worker registered for the first time.
    std::string secret_hash = {};
};

/// One lease that a worker says it holds.
struct HeldLease {
    TaskLease lease;
    bool running = false;        ///< role runner; else claimer
    int runner_pid = 0;          ///< 0: none
    Duration runner_beat_age{};  ///< of the runner's last beat to its worker

    friend bool operator==(const HeldLease&, const HeldLease&) = default;
};

struct WorkerRecord {
    WorkerRegistration registration;
    std::int64_t number = 0;  ///< small, unique: its byte in the SQLite store's file of locks
    WorkerStatus status = WorkerStatus::Active;
    bool cordoned = false;
    bool drain_requested = false;
    std::int64_t beat = 0;        ///< grows by one with each beat
    bool proves_session = false;  ///< its last beat proved that its connection holds the worker's session lock
    Timestamp registered_at;
    std::optional<Timestamp> last_heartbeat;
    Duration seconds_ago{};  ///< since then, by the store's clock; for people, never for verdicts
    std::vector<HeldLease> held;
};

/// What the once-a-second look needs of a worker: one row each, whatever the number of tasks in flight.
struct WorkerLiveness {
    Uuid id;
    std::string name;
    HostIdentity host;
    std::int64_t number = 0;
    WorkerStatus status = WorkerStatus::Active;
    std::int64_t beat = 0;
    Duration beat_interval{};
    Duration fence_after{};
    bool proves_session = false;
    Via via = Via::Store;
    bool disconnected = false;  ///< a server has seen its stream end, and it has not beaten since
    bool exited = false;        ///< its keeper has testified that nothing of it is left, and it has not beaten since
    bool session_held = false;  ///< now; PostgreSQL only (the SQLite lock is probed by the platform)
};

/// What an observer sees at one look.
struct LivenessView {
    std::string store_epoch;              ///< changes when the server restarted or the rank grew: counts start anew
    std::vector<WorkerLiveness> workers;  ///< those that are not inactive, or still hold leases
    std::vector<Uuid> unregistered;       ///< workers that leases name, and that have no row
};

/// A lease in the store, with what a verdict needs.
struct LeaseRecord {
    TaskLease lease;
    Uuid worker;
    std::string name;  ///< of the task
    bool started = false;
    Timestamp claimed_at;
    std::optional<Timestamp> started_at;
    TaskPolicy policy;
    bool holds_key = false;
    bool cancel_requested = false;
    std::string spec;        ///< JSON text, of the task; empty: a registered function
    int unlisted_beats = 0;  ///< how many beats of its worker in a row did not list it
    core::History history;
};

/// Asks a worker to stop a run.
enum class StopReason { Cancel, Timeout };
constexpr auto words_of(StopReason) {
    return words<StopReason>({{StopReason::Cancel, "cancel"}, {StopReason::Timeout, "timeout"}});
}
struct StopRequest {
    TaskLease lease;
    StopReason reason = StopReason::Cancel;
};

struct WorkerSnapshot {
    Uuid worker;
    Timestamp at;  ///< stamped by the store on append
    int running = 0;
    int claimed = 0;
    int capacity = 0;
    double cpu_percent = 0;
    double memory_mb = 0;
    double load = 0;
};

}  // namespace holdfast::store
