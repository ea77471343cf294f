#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/errors.h"
#include "store/job_records.h"
#include "store/limits.h"
#include "store/task_records.h"
#include "store/token_records.h"

namespace holdfast::store {

// ---- Replicas: the servers of a store -----------------------------------------------------------

struct Replica {
    Uuid id = {};  ///< random, new at every start of the process
    std::string hostname = {};
    int pid = 0;
    std::string version = {};
    std::string address = {};  ///< where it listens: "http://127.0.0.1:7070"
    bool sweeping = false;     ///< it holds the sweep row
};
struct ReplicaRecord {
    Replica replica = {};
    Timestamp started_at = {};  ///< stamped by the store at its first beat
    Timestamp last_heartbeat = {};
    Duration seconds_ago = {};  ///< since then, by the store's clock
};

// ---- Statistics ---------------------------------------------------------------------------------------------------

struct StatsParams {
    Duration window = std::chrono::hours(1);  ///< up to now; 1 minute to 7 days
    int buckets = 60;                         ///< that it is cut into; 1..200
    std::vector<std::string> queues = {};     ///< only tasks of them; empty: all
};
/// What happened in one part of the window, [at, at + window/buckets).
struct StatsBucket {
    Timestamp at = {};
    std::int64_t completed = 0, failed = 0, cancelled = 0, expired = 0;  ///< tasks that ended so
    std::int64_t recovered = 0;  ///< events of kinds worker_lost, requeued, failed (by a verdict)

    friend bool operator==(const StatsBucket&, const StatsBucket&) = default;
};
struct Percentiles {
    Duration p50 = {}, p95 = {}, p99 = {}, max = {};

    friend bool operator==(const Percentiles&, const Percentiles&) = default;
};
struct NameStats {
    std::string name = {};
    std::int64_t completed = 0, failed = 0;
    Percentiles run = {};
};
struct Stats {
    std::vector<StatsBucket> buckets = {};  ///< oldest first
    std::int64_t ended = 0;                 ///< tasks that ended in the window, as far as they were looked at
    Percentiles wait = {};                  ///< from when it could have run to its last start, of those that started
    Percentiles run = {};                   ///< from that start to its end
    std::vector<NameStats> names = {};      ///< the 20 that ended most often
    bool complete = true;                   ///< false: only the most recent tasks were looked at
};

struct JobCounts {
    std::int64_t pending = 0, running = 0, paused = 0, completed = 0, failed = 0, cancelled = 0;

    friend bool operator==(const JobCounts&, const JobCounts&) = default;
};

/// What needs a person, or shows that all is well; cheap enough to be asked every few seconds.
struct Vitals {
    std::optional<Duration> oldest_waits = {};  ///< of tasks that could be claimed now, in queues that are not paused
    Uuid oldest_task = {};
    std::int64_t approvals = 0;  ///< steps that wait for a person's decision
};

/// A task that has ended, as statistics count it.
struct EndedTask {
    TaskState state = TaskState::Completed;
    Timestamp finished_at = {};
    Timestamp run_at = {};                     ///< from when on it could have run
    std::optional<Timestamp> started_at = {};  ///< of its last run; nullopt: it never ran
    std::string name = {};
    std::string queue = {};
};
struct EndedTasks {
    std::vector<EndedTask> tasks = {};
    Lease last_lease = 0;  ///< the newest that was granted: they are numbered one by one (core::leases_between)
};
inline constexpr std::size_t most_ended_looked_at = 10'000;

/// One page of the orders, newest first.
struct OrdersParams {
    std::optional<std::int64_t> before = {};  ///< only orders with lower numbers
    std::size_t limit = max_batch_rows;
    std::vector<std::string> queues =
        {};  ///< only orders to these queues, and to jobs of which all tasks go to them; empty: all
};

/// Whether lines of history may still appear below one that can be read already: numbers are given before lines are
/// committed.
struct EventWriters {
    std::int64_t newest = 0;  ///< the highest number that can be read; 0: none
    /// Transactions under way that may have been given a lower one; each has a name that no other ever has.
    std::vector<std::string> writers = {};
};

// ---- The part for servers -----------------------------------------------------------------------------------------

/// What a server needs beside tasks and jobs: the part of the store that only a process with a store of its own
/// calls. The rules for all verbs stand at Store, in store/store.h.
class ServerStore {
public:
    virtual ~ServerStore() = default;

    // Tokens
    /// Stores a token. The same id again is harmless. Throws BadInput when the name, the hash or a queue is not
    /// valid.
    virtual CreateTokenStatus create_token(const NewToken& token) = 0;
    /// Returns the token with this hash, even a revoked or expired one: the caller decides.
    virtual std::optional<TokenRecord> find_token(const std::string& hash) = 0;
    virtual void note_token_use(const Uuid& token, const std::string& from) = 0;
    /// Stores a session, as used now, and removes those that are no longer valid. The same id again is harmless.
    virtual void create_session(const NewSession& session, const std::string& who) = 0;
    /// Returns the session with this hash, even an invalid one: the caller decides.
    virtual std::optional<SessionRecord> find_session(const std::string& hash) = 0;
    virtual void note_session_use(const Uuid& session, const std::string& from) = 0;

    // Schedules
    /// Creates or changes a schedule; an equal one stays as it is. A new one counts from now.
    virtual void put_schedule(const ScheduleDefinition& schedule, const std::string& who) = 0;

    // Replicas
    /// Records that a server lives. The first beat registers it.
    virtual void beat_replica(const Replica& replica) = 0;
    /// Returns servers in the order in which they started.
    virtual std::vector<ReplicaRecord> replicas() = 0;
    virtual void remove_replica(const Uuid& replica) = 0;
    /// Deletes servers whose last beat is older. Returns how many.
    virtual std::size_t prune_replicas(Duration older_than) = 0;

    // Workers behind servers
    /// Records that this server has seen the streams of these workers end. It is evidence until their next beat.
    /// Ignores workers that are unknown, have left, or are not behind a server.
    virtual void note_disconnected(const std::vector<Uuid>& workers) = 0;
    /// Records the testimony of a worker's keeper that nothing of the worker is left. It is evidence until the next
    /// beat. Returns false for a worker that is unknown, has left, or is not behind a server.
    virtual bool note_exited(const Uuid& worker) = 0;

    // History
    /// Appends an event; the store sets its id and time. Text that cannot be stored is made readable.
    virtual void append_event(const EventRecord& event) = 0;
    /// Returns the orders that people and applications gave, newest first. They outlive what they were about.
    virtual std::vector<EventRecord> orders(const OrdersParams& params) = 0;
    /// Returns who may still add events below the newest. Once all these writers have ended, no event up to `newest`
    /// is missing.
    virtual EventWriters event_writers() = 0;

    // Statistics
    virtual JobCounts count_jobs(const std::vector<std::string>& queues = {}) = 0;  ///< children included
    virtual Stats stats(const StatsParams& params) = 0;
    virtual Vitals vitals(const std::vector<std::string>& queues = {}) = 0;
    /// Looks at the newest `most_ended_looked_at` ended tasks (by id). Returns those that ended in [since, until), in
    /// no order.
    virtual EndedTasks ended_tasks(Timestamp since, Timestamp until) = 0;
};

}  // namespace holdfast::store
