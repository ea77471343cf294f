#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "proof/sim/change.h"
#include "proof/sim/disk.h"
#include "proof/sim/process.h"
#include "store/store.h"

namespace holdfast::sim {

/// The real store, as a simulated process reaches it: calls take time, fail before or after they were applied, find
/// the disk full or torn, or are the last thing that the process does. The witness sees every call as it really was.
class FaultyStore final : public store::Store {
public:
    FaultyStore(Process& process, const Clock& clock) : process_(process), clock_(clock) {}
    ~FaultyStore() override { close(); }

    /// The process is dead: its files are closed, and nothing more is written.
    void close();

    // faulty_store_tasks.cc
    std::vector<store::SubmitOutcome> submit(const std::vector<store::NewTask>& tasks) override;
    std::vector<std::optional<store::TaskRecord>> find(const std::vector<Uuid>& ids) override;
    std::vector<store::TaskRecord> list(const store::ListParams& params) override;
    store::TaskCounts count() override;
    std::vector<store::AttemptRecord> attempts(const Uuid& task) override;
    std::vector<store::EventRecord> events(const store::ReadEventsParams& params) override;
    std::vector<store::EventRecord> last_events(std::size_t limit) override;
    std::vector<store::CancelStatus> cancel(const store::CancelParams& params) override;
    std::vector<store::ForceStatus> force(const store::ForceParams& params) override;
    store::ClaimAnswer claim(const store::ClaimParams& params) override;
    std::vector<store::Fenced> start(const store::LeasesParams& params) override;
    store::FinishAnswer finish(const store::FinishParams& params) override;
    std::vector<store::Fenced> hand_back(const store::LeasesParams& params) override;
    std::vector<store::Fenced> save_progress(const std::vector<store::ProgressReport>& reports) override;
    std::vector<store::Fenced> append_logs(const std::vector<store::LogChunk>& chunks) override;
    std::vector<store::LogRecord> read_logs(const store::ReadLogsParams& params) override;
    store::RegisterAnswer register_worker(const store::WorkerRegistration& worker) override;
    bool deregister_worker(const Uuid& worker) override;
    store::BeatAnswer beat(const store::BeatParams& params) override;
    std::vector<store::WorkerRecord> workers() override;
    bool order_worker(const store::OrderParams& params) override;
    store::RemoveStatus remove_worker(const Uuid& worker) override;
    void append_worker_snapshot(const store::WorkerSnapshot& snapshot) override;
    std::vector<store::WorkerSnapshot> worker_snapshots(const Uuid& worker, std::size_t limit) override;
    store::LivenessView look() override;
    std::vector<bool> mark_lost(const std::vector<store::LostWorker>& workers) override;
    std::vector<store::LeaseRecord> leases(const store::FindLeasesParams& params) override;
    std::vector<store::RecoverOutcome> recover(const store::RecoverParams& params) override;
    std::vector<store::Fenced> ask_to_stop(const store::AskToStopParams& params) override;
    std::size_t expire_overdue(std::size_t limit) override;
    std::vector<store::RouteBacklog> backlog() override;
    std::vector<Uuid> unmatched_tasks(const store::UnmatchedParams& params) override;
    std::vector<bool> reject(const store::RejectParams& params) override;
    store::PruneAnswer prune(const store::PruneParams& params) override;
    store::SweepLeaseAnswer sweep_lease(const std::string& holder, Duration expiry) override;
    void note_sweep(const store::SweepNote& note) override;
    std::vector<store::SweepNote> sweep_notes() override;
    std::vector<store::QueueRecord> queues() override;
    void set_queue_paused(const std::string& queue, bool paused, const std::string& who) override;
    std::vector<store::KeyRecord> keys(const store::KeysParams& params) override;
    store::DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) override;
    bool remove_key(const std::string& key, const std::string& queue, const std::string& who) override;
    std::unique_ptr<store::Watch> watch(store::Topic topic) override;
    // faulty_store_jobs.cc
    std::vector<store::SubmitOutcome> start_jobs(const std::vector<store::NewJob>& jobs) override;
    std::vector<std::optional<JobInfo>> find_jobs(const std::vector<Uuid>& ids) override;
    std::vector<JobInfo> list_jobs(const JobQuery& query) override;
    std::vector<Uuid> jobs_with_prefix(const std::string& prefix, std::size_t limit) override;
    std::vector<StepInfo> steps(const store::StepsParams& params) override;
    std::string job_definition(const Uuid& job) override;
    std::vector<store::EventRecord> job_events(const store::JobEventsParams& params) override;
    std::optional<std::pair<Uuid, std::string>> step_of_task(const Uuid& task) override;
    std::vector<SteerStatus> cancel_jobs(const store::SteerJobsParams& params) override;
    std::vector<SteerStatus> pause_jobs(const store::SteerJobsParams& params) override;
    std::vector<SteerStatus> resume_jobs(const store::SteerJobsParams& params) override;
    store::DecideStatus decide_approval(const store::DecideParams& params) override;
    store::RetryStatus retry_job(const store::RetryJobParams& params) override;
    std::size_t end_due_waits(std::size_t limit) override;
    std::size_t cancel_overdue_jobs(std::size_t limit, const std::string& who) override;
    store::RepairAnswer repair_jobs(const store::RepairParams& params) override;
    void put_schedule(const store::ScheduleDefinition& schedule, const std::string& who) override;
    std::vector<store::ScheduleRecord> schedules() override;
    bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) override;
    bool remove_schedule(const std::string& schedule, const std::string& who) override;
    bool fire(const store::FireParams& params) override;
    // faulty_store_server.cc
    store::CreateTokenStatus create_token(const store::NewToken& token) override;
    std::vector<store::TokenRecord> tokens() override;
    std::optional<store::TokenRecord> find_token(const std::string& hash) override;
    bool revoke_token(const std::string& name_or_id, const std::string& who) override;
    void note_token_use(const Uuid& token, const std::string& from) override;
    void beat_replica(const store::Replica& replica) override;
    std::vector<store::ReplicaRecord> replicas() override;
    void remove_replica(const Uuid& replica) override;
    std::size_t prune_replicas(Duration older_than) override;
    void append_event(const store::EventRecord& event) override;
    store::EventWriters event_writers() override;
    store::JobCounts count_jobs() override;
    store::Stats stats(const store::StatsParams& params) override;
    store::Pulse pulse() override;
    store::EndedTasks ended_tasks(Timestamp since, Timestamp until) override;
    // faulty_store.cc
    store::MigrateAnswer migrate() override;
    std::vector<store::Finding> check_up() override;
    Timestamp now() override;
    [[nodiscard]] std::string describe() const override { return "simulated"; }

private:
    /// What is to go wrong with a call, decided before it is made.
    struct Fate {
        Duration there{};  ///< how long it takes to reach the store,
        Duration back{};   ///< and its answer to come back
        bool is_slow_back = false;
        bool fails = false;
        bool loses_answer = false;
        bool loses_request = false;
        enum class Kill { None, Before, After } kill = Kill::None;
        std::optional<DiskFault> disk;
        std::optional<Duration> stops_for;     ///< the process, before the call reaches the store
        std::optional<Duration> rouses_after;  ///< whoever it is a verdict about, once that is written
    };

    [[nodiscard]] Fate draw_fate(const Change& change);
    [[nodiscard]] std::optional<DiskFault> draw_disk_fault(bool writes);
    void draw_kill(Fate& fate, double boost);
    void draw_return(Fate& fate, const Change& change);
    void arrive(const Fate& fate, const Change& change);
    void leave(const Fate& fate, const Change& change);
    void stop_for(Duration length);
    [[noreturn]] void die(const std::string& how);
    void disarm();
    void applied(Change& change);
    void refused(Change& change, const store::StoreError& failure);
    void end_if_dead(const Change& change);
    [[nodiscard]] store::Store& opened();

    /// Makes the call. `confirm(answer, change)` notes in the change what the answer says of it.
    template <typename Body, typename Confirm>
    auto perform(Change change, const Body& body, const Confirm& confirm) {
        const Fate fate = draw_fate(change);
        arrive(fate, change);
        auto answer = [&] {
            try {
                auto given = body(opened());
                confirm(given, change);
                return given;
            } catch (const store::StoreError& failure) {
                refused(change, failure);
                throw;
            }
        }();
        applied(change);
        leave(fate, change);
        return answer;
    }
    template <typename Body>
    auto read(std::string_view verb, const Body& body) {
        return perform(Change::reading(verb), body, [](const auto&, Change&) {});
    }
    /// A write that ends and starts no lease.
    template <typename Body>
    auto write(std::string_view verb, const std::string& detail, const Body& body) {
        Change change = Change::writing(verb, detail);
        change.brings_work = true;
        return perform(std::move(change), body, [](const auto&, Change&) {});
    }

    Process& process_;
    const Clock& clock_;
    std::shared_ptr<DiskClient> client_;
    std::unique_ptr<store::Store> store_;
};

}  // namespace holdfast::sim
