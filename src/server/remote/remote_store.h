#pragma once

#include "server/remote/server_link.h"
#include "store/client_store.h"

namespace holdfast::remote {

/// A ClientStore that works through the API of a server, with the permissions of a token. The server records the
/// owner of the token as the author of an order and ignores the `who` of a verb.
class RemoteStore final : public store::ClientStore {
public:
    explicit RemoteStore(const http::ClientParams& params) : params_(params), link_(params) {}

    // Tasks
    std::vector<SubmitOutcome> submit(const std::vector<store::NewTask>& tasks) override;
    std::vector<std::optional<store::TaskRecord>> find(const std::vector<Uuid>& ids) override;
    std::vector<store::TaskRecord> list(const store::ListParams& params) override;
    store::TaskCounts count(const store::Queues& queues) override;
    std::vector<store::AttemptRecord> attempts(const Uuid& task) override;
    std::vector<store::EventRecord> events(const store::ReadEventsParams& params) override;
    std::vector<store::EventRecord> last_events(std::size_t limit, const store::Queues& queues) override;
    std::vector<CancelStatus> cancel(const store::CancelParams& params) override;
    std::vector<store::ForceStatus> force(const store::ForceParams& params) override;
    std::vector<store::LogRecord> read_logs(const store::ReadLogsParams& params) override;

    // Workers and queues
    std::vector<store::WorkerRecord> workers() override;
    bool order_worker(const store::OrderParams& params) override;
    store::RemoveStatus remove_worker(const Uuid& worker, const std::string& who) override;
    std::vector<store::WorkerSnapshot> worker_snapshots(const Uuid& worker, std::size_t limit) override;
    std::vector<store::LeaseRecord> leases_of(const Uuid& worker, std::size_t limit) override;
    std::vector<store::QueueRecord> queues() override;
    void set_queue_paused(const std::string& queue, bool paused, const std::string& who) override;
    std::vector<store::KeyRecord> keys(const store::KeysParams& params) override;
    store::DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) override;
    bool remove_key(const std::string& key, const std::string& queue, const std::string& who) override;

    // Jobs and schedules
    std::vector<SubmitOutcome> start_jobs(const std::vector<store::NewJob>& jobs) override;
    std::vector<std::optional<JobInfo>> find_jobs(const std::vector<Uuid>& ids) override;
    std::vector<JobInfo> list_jobs(const JobQuery& query, const store::Queues& queues) override;
    std::vector<Uuid> jobs_with_prefix(const std::string& prefix, std::size_t limit,
                                       const store::Queues& queues) override;
    std::vector<StepInfo> steps(const store::StepsParams& params) override;
    std::string job_definition(const Uuid& job) override;
    std::vector<store::EventRecord> job_events(const store::JobEventsParams& params) override;
    std::optional<store::StepOfTask> step_of_task(const Uuid& task) override;
    std::vector<SteerStatus> cancel_jobs(const store::SteerJobsParams& params) override;
    std::vector<SteerStatus> pause_jobs(const store::SteerJobsParams& params) override;
    std::vector<SteerStatus> resume_jobs(const store::SteerJobsParams& params) override;
    store::DecideStatus decide_approval(const store::DecideParams& params) override;
    store::RetryStatus retry_job(const store::RetryJobParams& params) override;
    std::vector<store::ScheduleRecord> schedules() override;
    bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) override;
    bool remove_schedule(const std::string& schedule, const std::string& who) override;

    // Tokens
    std::vector<store::TokenRecord> tokens() override;
    bool revoke_token(const std::string& name_or_id, const std::string& who) override;
    std::vector<store::SessionRecord> sessions() override;
    bool end_session(const Uuid& session, const std::string& who) override;

    // The store itself
    [[nodiscard]] std::unique_ptr<store::Watch> watch(store::Topic topic) override;
    std::vector<store::Finding> check_up() override;
    [[nodiscard]] Timestamp now() override { return link_.now(); }
    [[nodiscard]] std::string describe() const override { return link_.url(); }

private:
    [[nodiscard]] Json story_of(const Uuid& task) { return link_.find(path_of({"tasks", task.to_string()})); }

    http::ClientParams params_;
    ServerLink link_;
};

}  // namespace holdfast::remote
