#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "holdfast/time.h"

namespace holdfast::chaos {

enum class StoreKind {
    Sqlite,
    Postgres,
    Cluster,  ///< three nodes of PostgreSQL
};
[[nodiscard]] std::string_view to_text(StoreKind kind);  ///< "SQLite", "PostgreSQL", "a PostgreSQL cluster"

enum class FaultKind {
    KillWorker,  ///< kill -9, as are the other kills
    KillRunner,
    KillKeeper,
    StopWorker,  ///< SIGSTOP for longer than any lease lasts, then SIGCONT
    StopRunner,
    DrainWorker,  ///< SIGTERM
    KillServer,
    StopServer,
    DrainServer,
    CutPath,           ///< PostgreSQL: no byte passes; connections stay, and bytes arrive later
    ResetPath,         ///< PostgreSQL: connections are reset, new ones work
    RefusePath,        ///< PostgreSQL: connections are reset, new ones too
    RestartFast,       ///< of PostgreSQL, like the next two
    RestartImmediate,  ///< as after a power cut
    KillPostmaster,
    FillDisk,  ///< the file system of the store is full for a while
    BurnCpu,
    PromoteStandby,  ///< kill -9 of the primary, and a standby is promoted; the others below are of a cluster, too
    FreezePrimary,   ///< SIGSTOP of the whole primary, a standby is promoted, and the old one wakes up for a moment
    LoseStandby,     ///< both standbys are gone for a while: commits wait
    ZombiePrimary,   ///< after a promotion the old primary comes back and accepts writes
    AsyncCut,        ///< asynchronous replication: the last seconds are lost with the primary
    RestoreBackup,   ///< a backup that is some seconds old is started in place of the primary
};
[[nodiscard]] std::string_view to_text(FaultKind kind);  ///< "kill-worker", ...
[[nodiscard]] std::optional<FaultKind> parse_fault(std::string_view text);
[[nodiscard]] std::vector<FaultKind> all_faults();
[[nodiscard]] std::vector<FaultKind> faults_for(StoreKind kind);
[[nodiscard]] bool is_of_cluster(FaultKind kind);
/// Whether another history of the store begins with it: of a promoted standby, or of a backup.
[[nodiscard]] bool is_failover(FaultKind kind);

/// A planned fault. Its target is chosen by `draw` when it strikes, among the processes that are there.
struct Fault {
    Duration at = {};
    FaultKind kind = FaultKind::KillWorker;
    std::uint64_t draw = 0;
    bool hits_all = false;  ///< for paths: those of all processes, else of one
    Duration length = {};   ///< how long it lasts, or until a killed process is replaced

    friend bool operator==(const Fault&, const Fault&) = default;
};

struct FaultPlanParams {
    std::uint64_t seed = 1;
    Duration duration = std::chrono::seconds(30);
    int failovers = 0;  ///< the plan ends with the last of so many, whatever the duration; 0: by the duration
    std::vector<FaultKind> kinds = {};
    Duration lease = std::chrono::seconds(5);  ///< all stops and cuts last longer
};

/// The faults of a run: the same for the same parameters. Every kind comes once before any comes again, as far as
/// there is time; but a cluster has one fault at a time, between which the others go on. All faults are over by the
/// end; a fault that begins late is cut short.
[[nodiscard]] std::vector<Fault> plan_faults(const FaultPlanParams& params);

}  // namespace holdfast::chaos
