#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/job.h"
#include "store/task_records.h"

namespace holdfast::store {

// ---- Who may do what ----------------------------------------------------------------------------------------------

/// What a token lets its bearer do; each one includes those before it.
enum class Scope { Read, Submit, Operate, Admin };
[[nodiscard]] std::string_view to_text(Scope scope);  ///< "read", "submit", "operate", "admin"
[[nodiscard]] std::optional<Scope> parse_scope(std::string_view text);

/// A key to the server. The secret itself is shown once, when it is made; the store keeps its hash.
struct NewToken {
    Uuid id = {};
    std::string name = {};  ///< unique among those that are neither revoked nor expired
    std::string hash = {};  ///< of the secret: SHA-256, hexadecimal
    Scope scope = Scope::Read;
    std::vector<std::string> queues = {};  ///< submits and orders only to tasks of these; empty: of all
    std::optional<Timestamp> expires_at = {};
    std::string who = {};  ///< made it
};
struct TokenRecord {
    NewToken token = {};
    Timestamp created_at = {};
    std::optional<Timestamp> revoked_at = {};
    std::optional<Timestamp> last_used_at = {};
    std::string last_used_from = {};  ///< an address; empty: never used
};
enum class CreateTokenStatus { Created, NameTaken };

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
struct Pulse {
    std::int64_t last_event = 0;                ///< the newest id; 0: none
    std::optional<Duration> oldest_waits = {};  ///< of tasks that could be claimed now, in queues that are not paused
    Uuid oldest_task = {};
    std::int64_t approvals = 0;  ///< steps that wait for somebody's decision
};

/// What somebody who counts wants to know of a task that has ended.
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
    Lease last_lease = 0;  ///< the newest that was granted: they are numbered one by one
};
inline constexpr std::size_t most_ended_looked_at = 10'000;

/// Whether lines of history may still appear below one that can be read already: numbers are given before lines are
/// committed.
struct EventWriters {
    std::int64_t newest = 0;  ///< the highest number that can be read; 0: none
    /// Transactions under way that may have been given a lower one; each has a name that no other ever has.
    std::vector<std::string> writers = {};
};

/// What servers need beside tasks and jobs: the third part of a store.
class ServerStore {
public:
    virtual ~ServerStore() = default;

    // Who may do what
    /// The same id again is harmless. Throws BadInput when the name, the hash or a queue cannot be one.
    virtual CreateTokenStatus create_token(const NewToken& token) = 0;
    /// Newest first; revoked and expired ones for as long as terminal tasks are kept. The newest of all is never
    /// removed: once a token has been made, this is never empty again.
    virtual std::vector<TokenRecord> tokens() = 0;
    /// Also a revoked or expired one: the caller decides.
    virtual std::optional<TokenRecord> find_token(const std::string& hash) = 0;
    /// By name or id. False: no such token, or revoked before.
    virtual bool revoke_token(const std::string& name_or_id, const std::string& who) = 0;
    virtual void note_token_use(const Uuid& token, const std::string& from) = 0;

    // Replicas
    /// The first one registers it.
    virtual void beat_replica(const Replica& replica) = 0;
    /// By when they started.
    virtual std::vector<ReplicaRecord> replicas() = 0;
    virtual void remove_replica(const Uuid& replica) = 0;
    /// Deletes those whose last beat is older; how many.
    virtual std::size_t prune_replicas(Duration older_than) = 0;

    // History
    /// Appends a line; its id and time are the store's. Text that cannot be stored is made readable.
    virtual void append_event(const EventRecord& event) = 0;
    /// Once none of the writers is under way any more, no line up to `newest` is missing.
    virtual EventWriters event_writers() = 0;

    // Statistics
    virtual JobCounts count_jobs() = 0;  ///< children included
    virtual Stats stats(const StatsParams& params) = 0;
    virtual Pulse pulse() = 0;
    /// Those of the newest `most_ended_looked_at` ended tasks (by id) that ended in [since, until), in no order.
    virtual EndedTasks ended_tasks(Timestamp since, Timestamp until) = 0;
};

}  // namespace holdfast::store
