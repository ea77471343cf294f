#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/change.h"
#include "sim/ledger.h"
#include "sim/store_reader.h"

namespace holdfast::sim {

class Process;
class World;

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
    void beat_came(const Uuid& worker);
    void looked(Process& process);
    void rejected(Process& process, const Uuid& task);
    /// Tasks that steps have made are met here first.
    void met(const store::NewTask& task);
    void repaired(Process& process, const store::RepairAnswer& answer);
    void power_failed();
    void close() { reader_.close(); }

    // ---- What really ran
    void run_begins(Process& process, const store::TaskLease& lease);
    /// Also when runs go on after their machine stood still.
    void check_overlap(const Uuid& task);

    /// Everything there is.
    void look_at_everything(const std::string& when);
    /// Leases of the dead, once there are no faults any more.
    void check_owners(Duration calm_since);
    /// Everything has ended, and as it really was.
    void check_end();

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
    void check_said(const Change& change, const LeasePicture& before, const LeasePicture& after);
    // settlement_check.cc
    void check_settlement(const LeaseSight& lease, const Change::End& end, const PlaceSight& place);
    void check_outcome(const LeaseSight& lease, const Change::End& end);
    // verdict_check.cc
    void check_verdict(Process& process, const LeaseSight& lease, const Change::End& end);
    void check_mark(Process& process, const Change& change);
    [[nodiscard]] Duration unbroken_view(const Process& process) const;
    [[nodiscard]] std::string name_of_worker(const Uuid& worker) const;
    // full_check.cc
    void note_ending(const Uuid& task, const EndingSight& ending);
    void check_endings(const std::map<Uuid, EndingSight>& endings, const std::set<Uuid>& tasks);
    void check_presence(const std::set<Uuid>& tasks);
    void check_pruned(const Uuid& task, const EndingSight& ending);
    // job_check.cc
    [[nodiscard]] const core::Workflow* workflow_of(const JobSight& job);
    void check_step(const Uuid& task);
    void check_jobs();
    void check_origin(const std::set<Uuid>& tasks);

    World& world_;
    StoreReader reader_;
    LeasePicture picture_;
    store::Lease last_lease_ = 0;    // handed out before the call that is looked at,
    store::Lease newest_lease_ = 0;  // and with it
    std::map<store::Lease, Duration> appeared_;
    std::map<Uuid, EndingSight> endings_;
    std::map<Uuid, std::string> ended_jobs_;
    std::map<std::string, std::deque<Duration>> looks_;  // by process, on its monotonic clock
    Change doubts_;
    std::vector<Violation> violations_;
};

}  // namespace holdfast::sim
