#pragma once

#include "server/remote/server_link.h"
#include "store/store.h"

namespace holdfast::remote {

class RemoteStore : public store::Store {
public:
    explicit RemoteStore(const http::ClientParams& params) : params_(params), link_(params) {}

    // Tasks
    std::vector<SubmitOutcome> submit(const std::vector<store::NewTask>& tasks) override;
    std::vector<std::optional<store::TaskRecord>> find(const std::vector<Uuid>& ids) override;
    std::vector<store::TaskRecord> list(const store::ListParams& params) override;
    store::TaskCounts count() override;
    std::vector<store::AttemptRecord> attempts(const Uuid& task) override;
    std::vector<store::EventRecord> events(const store::ReadEventsParams& params) override;
    std::vector<store::EventRecord> last_events(std::size_t limit) override;
    std::vector<CancelStatus> cancel(const store::CancelParams& params) override;
    std::vector<store::ForceStatus> force(const store::ForceParams& params) override;
    std::vector<store::LogRecord> read_logs(const store::ReadLogsParams& params) override;

    // Workers and queues
    std::vector<store::WorkerRecord> workers() override;
    bool order_worker(const store::OrderParams& params) override;
    store::RemoveStatus remove_worker(const Uuid& worker) override;
    std::vector<store::WorkerSnapshot> worker_snapshots(const Uuid& worker, std::size_t limit) override;
    std::vector<store::LeaseRecord> leases(const store::FindLeasesParams& params) override;
    std::vector<store::QueueRecord> queues() override;
    void set_queue_paused(const std::string& queue, bool paused, const std::string& who) override;
    std::vector<store::KeyRecord> keys(const store::KeysParams& params) override;
    store::DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) override;
    bool remove_key(const std::string& key, const std::string& queue, const std::string& who) override;

    // Jobs and schedules
    std::vector<SubmitOutcome> start_jobs(const std::vector<store::NewJob>& jobs) override;
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
    std::vector<store::ScheduleRecord> schedules() override;
    bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) override;
    bool remove_schedule(const std::string& schedule, const std::string& who) override;

    // Who may do what
    std::vector<store::TokenRecord> tokens() override;
    bool revoke_token(const std::string& name_or_id, const std::string& who) override;

    // The store itself
    [[nodiscard]] std::unique_ptr<store::Watch> watch(store::Topic topic) override;
    std::vector<store::Finding> check_up() override;
    [[nodiscard]] Timestamp now() override;
    [[nodiscard]] std::string describe() const override { return link_.url(); }
    store::PruneAnswer prune(const store::PruneParams& params) override;

    // Only with the store itself
    store::ClaimAnswer claim(const store::ClaimParams&) override { refuse(); }
    std::vector<store::Fenced> start(const store::LeasesParams&) override { refuse(); }
    store::FinishAnswer finish(const store::FinishParams&) override { refuse(); }
    std::vector<store::Fenced> hand_back(const store::LeasesParams&) override { refuse(); }
    std::vector<store::Fenced> save_progress(const std::vector<store::ProgressReport>&) override { refuse(); }
    std::vector<store::Fenced> append_logs(const std::vector<store::LogChunk>&) override { refuse(); }
    store::RegisterAnswer register_worker(const store::WorkerRegistration&) override { refuse(); }
    bool deregister_worker(const Uuid&) override { refuse(); }
    store::BeatAnswer beat(const store::BeatParams&) override { refuse(); }
    void append_worker_snapshot(const store::WorkerSnapshot&) override { refuse(); }
    store::LivenessView look() override { refuse(); }
    std::vector<bool> mark_lost(const std::vector<store::LostWorker>&) override { refuse(); }
    std::vector<store::RecoverOutcome> recover(const store::RecoverParams&) override { refuse(); }
    std::vector<store::Fenced> ask_to_stop(const store::AskToStopParams&) override { refuse(); }
    std::size_t expire_overdue(std::size_t) override { refuse(); }
    std::vector<store::RouteBacklog> backlog() override { refuse(); }
    std::vector<Uuid> unmatched_tasks(const store::UnmatchedParams&) override { refuse(); }
    std::vector<bool> reject(const store::RejectParams&) override { refuse(); }
    store::SweepLeaseAnswer sweep_lease(const std::string&, Duration) override { refuse(); }
    void note_sweep(const store::SweepNote&) override { refuse(); }
    std::vector<store::SweepNote> sweep_notes() override { refuse(); }
    std::size_t end_due_waits(std::size_t) override { refuse(); }
    std::size_t cancel_overdue_jobs(std::size_t, const std::string&) override { refuse(); }
    store::RepairAnswer repair_jobs(const store::RepairParams&) override { refuse(); }
    void put_schedule(const store::ScheduleDefinition&, const std::string&) override { refuse(); }
    bool fire(const store::FireParams&) override { refuse(); }
    store::MigrateAnswer migrate() override { refuse(); }
    store::CreateTokenStatus create_token(const store::NewToken&) override { refuse(); }
    std::optional<store::TokenRecord> find_token(const std::string&) override { refuse(); }
    void note_token_use(const Uuid&, const std::string&) override { refuse(); }
    void beat_replica(const store::Replica&) override { refuse(); }
    std::vector<store::ReplicaRecord> replicas() override { refuse(); }
    void remove_replica(const Uuid&) override { refuse(); }
    std::size_t prune_replicas(Duration) override { refuse(); }
    void append_event(const store::EventRecord&) override { refuse(); }
    store::EventWriters event_writers() override { refuse(); }
    store::JobCounts count_jobs() override { refuse(); }
    store::Stats stats(const store::StatsParams&) override { refuse(); }
    store::EndedTasks ended_tasks(Timestamp, Timestamp) override { refuse(); }
    store::Pulse pulse() override { refuse(); }

private:
    [[noreturn]] void refuse() const;
    [[nodiscard]] Json story_of(const Uuid& task);
    [[nodiscard]] std::vector<SteerStatus> steer_jobs(const store::SteerJobsParams& params, const std::string& order);

    http::ClientParams params_;
    ServerLink link_;
};

}  // namespace holdfast::remote
