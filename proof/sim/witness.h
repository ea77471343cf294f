#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proof/sim/change.h"
#include "proof/sim/job_check.h"
#include "proof/sim/ledger.h"
#include "proof/sim/schedule_check.h"
#include "proof/sim/store_reader.h"
#include "proof/sim/submit_check.h"

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

/// Checks the promises: compares the rows of the store with what really happened, after every call that may have
/// changed something, and as a whole from time to time.
class Witness {
public:
    explicit Witness(World& world);

    JobCheck jobs;
    ScheduleCheck schedules;
    SubmitCheck submits;

    // ---- Store calls, as they really ended
    void applied(Process& process, const Change& change);
    /// The call threw. It changed nothing, or perhaps something when it is `in_doubt`.
    void failed(Process& process, const Change& change, bool in_doubt);
    void submitted(const std::vector<store::NewTask>& tasks, const std::vector<store::SubmitOutcome>& outcomes);
    void wrote_for(const char* what, const Uuid& worker, const store::TaskLease& lease);
    void claim_answered(Process& process, const store::TurnParams& params, const store::ClaimAnswer& answer);
    void beat_came(Process& process, const store::BeatParams& params, const store::BeatAnswer& answer);
    void registered(const Uuid& worker);
    void looked(Process& process);
    void rejected(Process& process, const Uuid& task);
    /// A task was seen; tasks of steps are first seen here.
    void met(const store::NewTask& task);
    /// A look failed, and breaks the unbroken view that the process had.
    void lost_sight(Process& process);
    /// The process asked for the row that only one sweeper holds.
    void asked_for_sweep_row(Process& process, bool held);
    void sweep_begins(Process& process);
    /// The sweep came to its end without a failure.
    void swept(Process& process, bool holds_row);
    void power_failed();
    // history_check.cc
    /// The store has carried out, or refused, a call that its caller gave up.
    void came_late(const LateCall& call);
    /// Whether the store has the newest schema: an image of it can be put back.
    [[nodiscard]] bool can_go_back();
    /// The rank of the store's history.
    [[nodiscard]] std::int64_t rank();
    /// The store has forgotten what was written since an image of its disk was taken. `at_its_place`: nothing shows
    /// that but what workers remember.
    void went_back(bool at_its_place);
    [[nodiscard]] const LostHistory& lost() const { return lost_; }
    void close() { reader_.close(); }

    // ---- Runs, as they really happened
    /// Returns whether the store has forgotten its lease.
    [[nodiscard]] bool run_begins(Process& process, const Uuid& worker, const engine::RunOrder& order);
    /// The runner of this lease has died on its own.
    void runner_died(const store::TaskLease& lease);
    /// Also called when runs go on after their machine stood still.
    void check_overlap(const Uuid& task);
    void check_key(const std::string& queue, const std::string& key);

    /// Checks the whole store.
    void look_at_everything(const std::string& when);
    /// Checks the leases of dead workers, once the faults are over and no process is stopped.
    void check_owners(Duration calm_since);
    /// Checks that everything has ended, as it really happened.
    void check_end();

    /// The worker that holds the lease; nullopt: it is not current.
    [[nodiscard]] std::optional<Uuid> holder_of(const store::TaskLease& lease) const;
    [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
    [[nodiscard]] bool all_ended();
    [[nodiscard]] std::string unended();
    void complain(const std::string& promise, const std::string& what);
    /// Complains when something that ended then was removed before its retention had passed.
    void check_age(const std::string& name, Timestamp finished_at);
    /// Identifies one life of the process: another one after a restart.
    [[nodiscard]] static std::string key_of(const Process& process);
    /// When the last sweep of the process began.
    [[nodiscard]] Duration sweep_began(const Process& process) { return sweeps_[key_of(process)].began; }

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
    /// Whether the worker holds the lease, as this picture shows it.
    [[nodiscard]] static bool is_current(const LeasePicture& picture, const store::TaskLease& lease,
                                         const Uuid& worker);
    // history_check.cc
    /// `leases`: as they were seen last. Changes them as a rollover since then has.
    void notice_rollover(LeasePicture& leases);
    void check_number(const LeaseSight& sight, const std::string& name);
    void forget_tasks(const std::set<Uuid>& tasks, bool at_its_place);
    void forget_endings(const std::set<Uuid>& tasks);
    void forget_leases(const LeasePicture& before);
    void forget_runs();
    void forget_workers();
    void check_delivery(const Change& change, const LeaseSight& lease, const Change::End& end);
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
    /// The last looks of the process without a gap that breaks its view, on its clock.
    [[nodiscard]] std::vector<Duration> unbroken_looks(const Process& process) const;
    [[nodiscard]] Duration unbroken_view(const Process& process) const;
    [[nodiscard]] std::string name_of_worker(const Uuid& worker) const;
    // full_check.cc
    void note_ending(const Uuid& task, const EndingSight& ending);
    void check_endings(const std::map<Uuid, EndingSight>& endings, const std::set<Uuid>& tasks);
    void check_presence(const std::set<Uuid>& tasks);
    void check_pruned(const Uuid& task, const EndingSight& ending);
    // sweep_check.cc
    void check_recovered_once(Process& process, const Change& change);
    void check_certain_evidence(Process& process);
    [[nodiscard]] bool must_have_seen(Process& process, const TrueWorker& worker) const;
    [[nodiscard]] bool put_aside_lately(Process& process) const;

    World& world_;
    StoreReader reader_;
    LeasePicture picture_;
    store::Lease last_lease_ = 0;    // the last one before the current call
    store::Lease newest_lease_ = 0;  // the last one after it
    std::map<store::Lease, Duration> appeared_;
    std::map<store::Lease, Uuid> requests_;                      // the claim that each lease was granted to
    std::set<store::Lease> started_;                             // leases whose start was seen committed
    std::map<store::Lease, std::pair<Uuid, Duration>> crashes_;  // of runners, not settled yet: the task, and when
    std::map<Uuid, EndingSight> endings_;
    std::map<std::string, std::deque<Duration>> looks_;  // by process, on its monotonic clock
    /// What a sweeping process has seen.
    struct SweepSight {
        Duration began{};                                ///< its last sweep
        Duration began_on_its_clock{};                   ///< the same, on its monotonic clock
        std::optional<Duration> failed_to_recover = {};  ///< the last time, on its monotonic clock
        SweepRowSight refused_for;                       ///< another sweeper's row, as it was seen first,
        Duration refused_since{};                        ///< then,
        Duration refused_at_jumps{};                     ///< and how far the wall clock had jumped by then
    };
    std::map<std::string, SweepSight> sweeps_;  // by process
    std::map<store::Lease, std::string> recovered_by_;
    Change doubts_;
    using LeaseOfWorker = std::pair<store::Lease, Uuid>;
    struct Finish {
        core::LeaseEnd end = core::LeaseEnd::Completed;
        Duration at{};
    };
    std::int64_t rank_ = 0;                       // as it was seen last
    Duration went_back_at_ = Duration::min();     // the last time
    std::optional<Duration> history_changed_at_;  // the last time: it went back, or rolled over
    bool is_unnoticed_ = false;                   // only what workers remember shows that the store went back
    std::set<LeaseOfWorker> forgotten_;           // held when the store went back behind their claim
    std::map<LeaseOfWorker, Finish> finished_;    // by their workers
    std::map<LeaseOfWorker, Finish> awaited_;  // those of them that the store has forgotten, though not their claim
    LostHistory lost_;
    std::vector<Violation> violations_;
};

}  // namespace holdfast::sim
