#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proof/sim/change.h"
#include "proof/sim/ledger.h"
#include "proof/sim/store_reader.h"

namespace holdfast::sim {

class Process;
class World;
struct TrueWorker;

/// A promise that was broken.
struct Violation {
    std::string promise;  ///< "P4", "concurrency keys", ...
    std::string what;
    Duration at{};
};

/// Watches over the promises: compares what is in the store with what really happened, after every call that could
/// have changed something, and as a whole from time to time.
class Witness {
public:
    explicit Witness(World& world);

    // ---- What calls of the store did, as they really were
    void applied(Process& process, const Change& change);
    /// It threw. Nothing has changed, unless it is `in_doubt`.
    void failed(Process& process, const Change& change, bool in_doubt);
    void submitted(const std::vector<store::NewTask>& tasks, const std::vector<store::SubmitOutcome>& outcomes);
    void wrote_for(const char* what, const store::TaskLease& lease);
    void claim_answered(Process& process, const store::ClaimParams& params, const store::ClaimAnswer& answer);
    void beat_came(Process& process, const Uuid& worker);
    void registered(const Uuid& worker);
    void looked(Process& process);
    void rejected(Process& process, const Uuid& task);
    /// Tasks that steps have made are met here first.
    void met(const store::NewTask& task);
    void repaired(Process& process, const store::RepairAnswer& answer);
    /// The look failed, and so whatever was counted until then is worth nothing.
    void lost_sight(Process& process);
    /// It asked for the row that only one sweeper has.
    void asked_for_sweep_row(Process& process, bool held);
    void sweep_begins(Process& process);
    /// It was carried out to its end, and nothing in it failed.
    void swept(Process& process, bool holds_row);
    void told_time(Process& process, Timestamp now);
    void touched_schedule(Process& process, const std::string& schedule);
    [[nodiscard]] std::optional<ScheduleSight> see_schedule(const std::string& schedule);
    /// `before`: as it was seen before that.
    void fired(Process& process, const store::FireParams& params, const std::optional<ScheduleSight>& before);
    void power_failed();
    void close() { reader_.close(); }

    // ---- What really ran
    void run_begins(Process& process, const store::TaskLease& lease, const std::string& checkpoint);
    /// The runner of that lease has died by itself.
    void runner_died(const store::TaskLease& lease);
    /// Also when runs go on after their machine stood still.
    void check_overlap(const Uuid& task);
    void check_key(const std::string& queue, const std::string& key);

    /// Everything there is.
    void look_at_everything(const std::string& when);
    /// Leases of the dead, once there are no faults any more, and nobody is stopped.
    void check_owners(Duration calm_since);
    /// Everything has ended, and as it really was.
    void check_end();

    /// Whose the lease is; nullopt: it is not current.
    [[nodiscard]] std::optional<Uuid> holder_of(const store::TaskLease& lease) const;
    [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
    [[nodiscard]] bool all_ended();
    [[nodiscard]] std::string unended();
    void complain(const std::string& promise, const std::string& what);

private:
    enum class Certainty { Sure, InDoubt, None };

    void compare(Process* process, const Change& change, Certainty certainty);
    // witness.cc
    void add_doubt(const Change& change);
    void lease_appeared(const Change& change, const LeaseSight& sight);
    void lease_went(Process* process, const Change& change, const LeaseSight& sight);
    void lease_changed(const Change& change, const LeaseSight& before, const LeaseSight& after);
    void check_said(const Change& change, const LeasePicture& before);
    void check_said_of_ends(const Change& change, const LeasePicture& before);
    void check_said_of_starts(const Change& change, const LeasePicture& before);
    // settlement_check.cc
    void check_settlement(const LeaseSight& lease, const Change::End& end, const PlaceSight& place);
    void check_outcome(const LeaseSight& lease, const Change::End& end);
    void check_stop(const std::string& name, const TrueRun& run, const Change::End& end);
    void check_event_of_verdict(const LeaseSight& lease, const PlaceSight& place);
    void check_crashes();
    // verdict_check.cc
    void check_verdict(Process& process, const LeaseSight& lease, const Change::End& end);
    void check_mark(Process& process, const Change& change);
    void check_unregistered(Process& process, const TrueWorker& truth, const std::string& text);
    void check_timeout(const LeaseSight& lease, const std::string& text);
    void check_nobody_is_known(Process& process, const TrueTask& task);
    /// The last looks of the process, without a gap that would break its view, on its clock.
    [[nodiscard]] std::vector<Duration> unbroken_looks(const Process& process) const;
    [[nodiscard]] Duration unbroken_view(const Process& process) const;
    [[nodiscard]] static std::string key_of(const Process& process);
    [[nodiscard]] std::string name_of_worker(const Uuid& worker) const;
    // full_check.cc
    void note_ending(const Uuid& task, const EndingSight& ending);
    void check_endings(const std::map<Uuid, EndingSight>& endings, const std::set<Uuid>& tasks);
    void check_presence(const std::set<Uuid>& tasks);
    void check_pruned(const Uuid& task, const EndingSight& ending);
    void check_age(const std::string& name, Timestamp finished_at);
    // sweep_check.cc
    void check_recovered_once(Process& process, const Change& change);
    void check_certain_evidence(Process& process);
    [[nodiscard]] bool must_have_seen(Process& process, const TrueWorker& worker) const;
    [[nodiscard]] bool put_aside_lately(Process& process) const;
    // schedule_check.cc
    void check_undecided(Process& process);
    void check_decision(const store::FireParams& params, const ScheduleSight& sight, Timestamp now);
    void check_slot(const store::FireParams& params, const ScheduleSight& sight, Timestamp now);
    [[nodiscard]] bool was_touched_meanwhile(Process& process, const std::string& schedule);
    [[nodiscard]] const TrueJob* find_job_of_slot(const Uuid& job);
    // job_check.cc
    [[nodiscard]] const core::Workflow* workflow_of(const JobSight& job);
    void check_step(const Uuid& task);
    void check_jobs();
    void check_job(const Uuid& id, const JobSight& sight);
    void check_steps();
    void check_pruned_tree(const std::string& name, const Uuid& root);
    void check_origin(const std::set<Uuid>& tasks);

    World& world_;
    StoreReader reader_;
    LeasePicture picture_;
    store::Lease last_lease_ = 0;    // handed out before the call that is looked at,
    store::Lease newest_lease_ = 0;  // and with it
    std::map<store::Lease, Duration> appeared_;
    std::map<store::Lease, Uuid> requests_;                      // which claim each lease was granted to
    std::set<store::Lease> started_;                             // whose start was ever seen committed
    std::map<store::Lease, std::pair<Uuid, Duration>> crashes_;  // of runners, not settled yet: which task, and when
    std::map<Uuid, EndingSight> endings_;
    std::map<Uuid, Uuid> roots_;     // of tasks of steps: the job at the top
    std::map<Uuid, JobSight> jobs_;  // as they were seen last
    std::set<Uuid> pruned_jobs_;
    std::map<StepPlace, std::string> ended_steps_;
    std::map<std::string, std::deque<Duration>> looks_;  // by process, on its monotonic clock
    /// What a process that sweeps has met.
    struct SweepSight {
        Duration began{};                                ///< its last sweep,
        Duration began_on_its_clock{};                   ///< also on its monotonic clock
        std::optional<Duration> failed_to_recover = {};  ///< the last time, on its monotonic clock
        Timestamp told_time;                             ///< the last that it was told
        SweepRowSight refused_for;                       ///< another sweeper's row, as it was seen first,
        Duration refused_since{};                        ///< then,
        Duration refused_at_jumps{};                     ///< and how far the wall clock had jumped by then
    };
    std::map<std::string, SweepSight> sweeps_;  // by process
    std::map<store::Lease, std::string> recovered_by_;
    Change doubts_;
    std::vector<Violation> violations_;
};

}  // namespace holdfast::sim
