#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "store/event_texts.h"
#include "store/postgres/lane.h"

namespace holdfast::postgres {

/// A lease row, locked, with what a decision about it needs.
struct LockedLease {
    store::TaskLease lease;
    Uuid worker;
    bool started = false;
    bool stop_requested = false;
    bool cancel_requested = false;
    bool is_step = false;  ///< its task is a step of a job, whose tree is locked, too
    bool has_key = false;  ///< its end frees a slot
    std::optional<Timestamp> deadline;
    core::History history;
    TaskPolicy policy;
    Timestamp now;
};

/// How a lease ended, as its worker or an observer reports it.
struct LeaseReport {
    core::LeaseEnd end = core::LeaseEnd::Completed;
    std::string result;
    TaskError error;
    double jitter = 0.5;
    bool is_final = false;
};

/// Locks the leases of these tasks, in the order of their ids, and then the trees of jobs that any of the tasks is a
/// step of. Tasks without a lease are left out of the answer.
[[nodiscard]] std::unordered_map<Uuid, LockedLease> lock_leases(Transaction& tx, const std::vector<Uuid>& tasks);
/// The two halves of it.
[[nodiscard]] Command lock_command(const std::vector<Uuid>& tasks);
[[nodiscard]] std::unordered_map<Uuid, LockedLease> read_leases(const Rows& rows);
/// The fence: the task's lease if it is this one, held by this worker; nullptr: it is another one, or there is none.
[[nodiscard]] const LockedLease* find_held(const std::unordered_map<Uuid, LockedLease>& leases,
                                           const store::TaskLease& lease, const Uuid& worker);

/// The only way in which leases end: decides each with core::settle, and applies all of them at once.
class LeaseEndings {
public:
    /// Returns where the task is going to be.
    TaskState end(const LockedLease& lease, const LeaseReport& report);
    /// Ends it with the given terminal state, whatever its policy.
    void force(const LockedLease& lease, TaskState state, const TaskError& error);
    /// The jobs of tasks that have ended hear of it before the commit: see PostgresStore::transact.
    void apply(Transaction& tx);

private:
    void add(const LockedLease& lease, core::LeaseEnd run_end, const core::Settlement& settlement,
             const std::string& result, const TaskError& report);

    struct Ended {
        Uuid task;
        bool ran = false;
        bool is_step = false;
        bool has_key = false;
        core::LeaseEnd run_end = core::LeaseEnd::Completed;
        core::Settlement settlement;
        std::string result;
        TaskError report;
    };
    static std::optional<std::string> result_of(const Ended& ended);
    [[nodiscard]] Command command(bool has_steps) const;

    std::vector<Ended> ended_;
};

/// Ends PENDING tasks without a run; answers which were PENDING. Their jobs hear of it before the commit.
[[nodiscard]] std::vector<Uuid> end_pending(Transaction& tx, const std::vector<Uuid>& tasks, TaskState state,
                                            const TaskError& error);

/// An event about the task of a step is one about its job, too.
void write_events(Transaction& tx, const std::vector<store::NewEvent>& events);

/// The answer of a function in SQL to a write for a lease.
[[nodiscard]] store::Fenced read_fenced(std::string_view word);

/// Saves what runs report; LeaseLost for those that are not RUNNING under that lease of the worker. In progress.cc.
std::vector<store::Fenced> save_progress_of(Transaction& tx, const Uuid& worker,
                                            const std::vector<store::ProgressReport>& reports,
                                            const std::vector<std::size_t>& batch, const store::Limits& limits);

/// Where a task is: PENDING (with the lease that ended last), leased (and asked to be cancelled), ended, or nowhere.
struct Whereabouts {
    enum class Place { Pending, Leased, Stopping, Ended, Unknown };
    Place place = Place::Unknown;
    TaskState ended_as = TaskState::Completed;
    store::Lease last_lease = 0;
};
[[nodiscard]] std::unordered_map<Uuid, Whereabouts> find_places(Transaction& tx, const std::vector<Uuid>& tasks);

/// How a run of this worker under this lease ended before.
struct EarlierEnd {
    std::optional<TaskState> state;         ///< PENDING: it was to run again; nullopt: there was no such run
    std::optional<core::LeaseEnd> run_end;  ///< as its worker, a sweeper or a person reported it
    bool task_is_known = false;
};
struct LeaseOfWorker {
    store::TaskLease lease;
    Uuid worker;
};
[[nodiscard]] std::vector<EarlierEnd> earlier_ends(Transaction& tx, const std::vector<LeaseOfWorker>& leases);

}  // namespace holdfast::postgres
