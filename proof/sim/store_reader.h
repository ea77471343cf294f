#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "holdfast/uuid.h"
#include "proof/sim/disk.h"
#include "store/sqlite/database.h"
#include "store/store.h"

namespace holdfast::sim {

/// A row of `lease`.
struct LeaseSight {
    store::TaskLease lease;
    Uuid worker;
    bool started = false;
    core::History history;
    std::string stop_requested;  ///< "", "cancel", "timeout"
    std::string key;

    friend bool operator==(const LeaseSight&, const LeaseSight&) = default;
};
using LeasePicture = std::map<Uuid, LeaseSight>;

/// A row of `ending`.
struct EndingSight {
    TaskState state = TaskState::Completed;
    store::Lease lease = 0;
    std::string run_end;
    std::string result;
    std::string error_code;
    Timestamp finished_at;
    core::History history;

    friend bool operator==(const EndingSight&, const EndingSight&) = default;
};

/// Where a task is, beside `lease`.
struct PlaceSight {
    int places = 0;  ///< how many places it is in at once, `lease` included
    std::optional<core::History> pending;
    std::optional<EndingSight> ending;
};

/// A job, from `job` and `job_progress`.
struct JobSight {
    std::string state;
    std::string workflow;
    Uuid root;
    Timestamp finished_at;

    [[nodiscard]] bool has_ended() const { return state == "COMPLETED" || state == "FAILED" || state == "CANCELLED"; }
};
/// A row of `schedule`.
struct ScheduleSight {
    std::string timing;
    bool paused = false;
    Timestamp decided_until;
    Timestamp made_at;
};
/// A row of `worker`.
struct WorkerSight {
    Uuid id;
    std::vector<std::string> queues;
    std::vector<std::string> tags;
};
/// The row of `sweep_lease`.
struct SweepRowSight {
    std::string holder;
    Timestamp expires;

    friend bool operator==(const SweepRowSight&, const SweepRowSight&) = default;
};
struct StepSight {
    Uuid job;
    int number = 0;
};
/// A step's key.
struct StepPlace {
    Uuid job;
    int number = 0;
    int item = -1;

    // As in holdfast::Uuid: NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const StepPlace&, const StepPlace&) = default;
};

/// Reads the store's tables directly, so that the checks do not depend on the store's answers. No fault strikes these
/// reads.
class StoreReader {
public:
    explicit StoreReader(std::string path) : path_(std::move(path)) {}

    /// Whether the database is there.
    [[nodiscard]] bool open(Disk& disk);
    /// For after a power cut.
    void close();

    [[nodiscard]] LeasePicture leases();
    [[nodiscard]] PlaceSight place_of(const Uuid& task);
    [[nodiscard]] std::map<Uuid, EndingSight> endings();
    [[nodiscard]] std::set<Uuid> tasks();
    /// A sentence for each pair of rows that contradict each other.
    [[nodiscard]] std::vector<std::string> contradictions(bool has_lost_history);
    [[nodiscard]] std::map<Uuid, JobSight> jobs();
    [[nodiscard]] std::optional<StepSight> step_of(const Uuid& task);
    [[nodiscard]] std::map<int, std::string> step_states(const Uuid& job);  ///< by number, without items
    [[nodiscard]] std::map<StepPlace, std::string> all_step_states();
    [[nodiscard]] std::map<Uuid, Uuid> tasks_of_steps();  ///< with the jobs at the top of their trees
    /// The kind of the last event about the end of a lease of the task; empty: none.
    [[nodiscard]] std::string last_verdict(const Uuid& task);
    [[nodiscard]] int schema_version();
    /// The rank of the store's history; 0: the schema is older than ranks.
    [[nodiscard]] std::int64_t rank();
    [[nodiscard]] store::Lease last_lease_number();
    /// The leases that are held, or that a run was ended under.
    [[nodiscard]] std::set<std::pair<Uuid, store::Lease>> leases_with_history();
    /// The steps from this number on that have a task.
    [[nodiscard]] std::size_t hooks_fired(const Uuid& job, int first_hook);
    [[nodiscard]] std::map<std::string, ScheduleSight> schedules();
    [[nodiscard]] std::string definition_of(const Uuid& job);  ///< empty: no such job
    [[nodiscard]] SweepRowSight sweep_row();
    [[nodiscard]] bool has_beaten(const Uuid& worker);
    [[nodiscard]] std::vector<WorkerSight> workers();
    [[nodiscard]] std::string damage();  ///< empty: none

private:
    std::string path_;
    std::shared_ptr<DiskClient> client_;
    std::unique_ptr<sqlite::Database> db_;
};

}  // namespace holdfast::sim
