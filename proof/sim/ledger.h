#pragma once

#include <climits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/workflow/workflow.h"
#include "engine/worker/runners.h"
#include "holdfast/uuid.h"
#include "store/store.h"

namespace holdfast::sim {

/// One execution that really took place in the simulated world.
struct TrueRun {
    store::TaskLease lease;
    std::string worker;   ///< the process that began it,
    Uuid worker_id = {};  ///< and who it is
    int machine = 0;
    Duration began_at{};
    std::optional<Duration> ended_at;
    std::string how;                                      ///< "completed", "failed", "killed", ...
    std::optional<engine::StopCause> asked_to_stop = {};  ///< the strongest cause
    bool out_of_time = false;                             ///< its timeout was one of them
    std::string checkpoint = {};                          ///< saved before it stopped cleanly
    Duration last_sign{};                                 ///< of life, as its worker heard it
    bool is_suspended = false;                            ///< its machine stands still
    bool is_forgotten = false;                            ///< the store went back behind its claim
};

/// A task as it really is, whatever the store says.
struct TrueTask {
    std::string name;  ///< "t17", for messages
    store::NewTask task;
    bool acknowledged = false;         ///< a client was told that it is on disk:
    std::string acknowledged_to = {};  ///< this life of it (see Witness::key_of)
    bool in_store = false;             ///< it was seen in the store
    bool forced = false;
    bool was_pruned = false;
    std::vector<std::size_t> runs;                    ///< indexes into Ledger::runs
    int stops = 0;                                    ///< ends of runs that cost no attempt
    int clean_stops = 0;                              ///< those of them that stopped cleanly
    std::optional<std::string> next_checkpoint = {};  ///< for the run after a clean stop
};

/// What the store has forgotten, all in all, because it went back.
struct LostHistory {
    std::size_t tasks = 0;      ///< that had been accepted
    std::size_t jobs = 0;       ///<
    std::size_t claims = 0;     ///< that were held then
    std::size_t finishes = 0;   ///< whose claim survived: to be delivered again
    std::size_t delivered = 0;  ///< those that were
    std::size_t reruns = 0;     ///< runs of tasks that have run in a history that is lost: they cannot be avoided

    void add(const LostHistory& other);
    friend bool operator==(const LostHistory&, const LostHistory&) = default;
};

/// A job that a client has started.
struct TrueJob {
    std::string name;  ///< "j3", for messages
    core::WorkflowBundle bundle;
    bool acknowledged = false;
    std::string acknowledged_to = {};
    bool in_store = false;
};

/// A schedule that clients have put once or several times.
struct TrueSchedule {
    std::map<std::string, core::WorkflowBundle> definitions = {};  ///< every definition that it ever had, by its text
    std::set<Timestamp> made_at = {};                              ///< several times if it was removed in between
    Duration touched_at{};                                         ///< when its row was last changed,
    std::string touched_by = {};                                   ///< and by which process
};

/// What really happened: what clients were told, and what runners executed.
class Ledger {
public:
    TrueTask& add(const store::NewTask& task);
    [[nodiscard]] TrueTask* find(const Uuid& task);
    [[nodiscard]] std::map<Uuid, TrueTask>& tasks() { return tasks_; }
    [[nodiscard]] std::vector<TrueRun>& runs() { return runs_; }
    [[nodiscard]] std::string name_of(const Uuid& task);
    TrueJob& add_job(const Uuid& id, const core::WorkflowBundle& bundle);
    [[nodiscard]] TrueJob* find_job(const Uuid& id);
    [[nodiscard]] std::map<Uuid, TrueJob>& jobs() { return jobs_; }
    [[nodiscard]] std::string name_of_job(const Uuid& id);
    [[nodiscard]] std::map<std::string, TrueSchedule>& schedules() { return schedules_; }
    /// Whether clients know that everything they submitted is on disk.
    [[nodiscard]] bool is_all_acknowledged() const;
    [[nodiscard]] std::size_t size() const { return tasks_.size(); }
    [[nodiscard]] std::size_t job_count() const { return jobs_.size(); }
    [[nodiscard]] std::size_t run_count() const { return runs_.size(); }

    /// `run`: without its end. Returns its index.
    std::size_t run_began(TrueRun run);
    void run_ended(std::size_t run, const std::string& how, Duration at);
    /// How many runs of the task go on, are not suspended, and have a lease that the store knows of.
    [[nodiscard]] std::size_t executing(const Uuid& task) const;
    /// How many tasks with this key, of a queue or of all queues (""), really run at the moment.
    struct KeyUse {
        int running = 0;
        int lowest_limit = INT_MAX;  ///< the lowest that one of them asked for
    };
    [[nodiscard]] KeyUse executing_with_key(const std::string& queue, const std::string& key) const;
    [[nodiscard]] const TrueRun* run_of(store::Lease lease, const Uuid& worker) const;

private:
    std::map<Uuid, TrueTask> tasks_;
    std::map<Uuid, TrueJob> jobs_;
    std::map<std::string, TrueSchedule> schedules_;
    std::vector<TrueRun> runs_;
    std::vector<std::size_t> open_runs_;
    std::map<std::pair<store::Lease, Uuid>, std::size_t> by_lease_;  // and worker
};

}  // namespace holdfast::sim
