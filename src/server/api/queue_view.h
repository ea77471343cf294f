#pragma once

#include <string>
#include <vector>

#include "server/api/answers.h"
#include "store/relay_store.h"

namespace holdfast::api {

/// The store as a token that is limited to queues sees it: what belongs to other queues does not exist. A task
/// belongs to its queue, a job or schedule to all queues of its definition, a line of history to its task or else to
/// its job. A worker is seen by the tokens of its queues, without what it does for others. A verb that has no rule
/// here is refused, so that a new one is closed until it gets one.
class QueueView final : public store::RelayStore<QueueView> {
public:
    /// `store` outlives the view; `queues` is not empty.
    QueueView(store::Store& store, store::Queues queues) : store_(store), queues_(std::move(queues)) {}

    /// Returns those of the lines that the token sees, without the ids of jobs that it does not see.
    [[nodiscard]] std::vector<store::EventRecord> seen_of(const std::vector<store::EventRecord>& events);

    // Tasks
    std::vector<store::SubmitOutcome> submit(const std::vector<store::NewTask>& tasks) override;
    std::vector<std::optional<store::TaskRecord>> find(const std::vector<Uuid>& ids) override;
    std::vector<store::TaskRecord> list(const store::ListParams& params) override;
    store::TaskCounts count(const store::Queues&) override { return store_.count(queues_); }
    std::vector<store::AttemptRecord> attempts(const Uuid& task) override;
    std::vector<store::EventRecord> events(const store::ReadEventsParams& params) override;
    std::vector<store::EventRecord> orders(const store::OrdersParams& params) override;
    std::vector<store::EventRecord> last_events(std::size_t limit, const store::Queues&) override;
    std::vector<store::LogRecord> read_logs(const store::ReadLogsParams& params) override;
    std::vector<store::CancelStatus> cancel(const store::CancelParams& params) override;
    std::vector<store::ForceStatus> force(const store::ForceParams& params) override;
    // Jobs
    std::vector<store::SubmitOutcome> start_jobs(const std::vector<store::NewJob>& jobs) override;
    std::vector<std::optional<JobInfo>> find_jobs(const std::vector<Uuid>& ids) override;
    std::vector<JobInfo> list_jobs(const JobQuery& query, const store::Queues&) override;
    std::vector<Uuid> jobs_with_prefix(const std::string& prefix, std::size_t limit, const store::Queues&) override;
    std::vector<StepInfo> steps(const store::StepsParams& params) override;
    std::string job_definition(const Uuid& job) override;
    std::vector<store::EventRecord> job_events(const store::JobEventsParams& params) override;
    std::optional<store::StepOfTask> step_of_task(const Uuid& task) override;
    std::vector<SteerStatus> cancel_jobs(const store::SteerJobsParams& params) override;
    std::vector<SteerStatus> pause_jobs(const store::SteerJobsParams& params) override;
    std::vector<SteerStatus> resume_jobs(const store::SteerJobsParams& params) override;
    store::DecideStatus decide_approval(const store::DecideParams& params) override;
    store::RetryStatus retry_job(const store::RetryJobParams& params) override;
    store::JobCounts count_jobs(const store::Queues&) override { return store_.count_jobs(queues_); }
    // Schedules
    std::vector<store::ScheduleRecord> schedules() override;
    void put_schedule(const store::ScheduleDefinition& schedule, const std::string& who) override;
    bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) override;
    bool remove_schedule(const std::string& schedule, const std::string& who) override;
    // Workers
    std::vector<store::WorkerRecord> workers() override;
    std::vector<store::LeaseRecord> leases(const store::FindLeasesParams& params) override;
    std::vector<store::WorkerSnapshot> worker_snapshots(const Uuid& worker, std::size_t limit) override;
    /// Workers without a row serve nobody's queues.
    store::LivenessView look() override { return {}; }
    // Queues and keys
    std::vector<store::QueueRecord> queues() override;
    void set_queue_paused(const std::string& queue, bool paused, const std::string& who) override;
    std::vector<store::KeyRecord> keys(const store::KeysParams& params) override;
    store::DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) override;
    bool remove_key(const std::string& key, const std::string& queue, const std::string& who) override;
    std::vector<store::RouteBacklog> backlog() override;
    // Statistics
    store::Stats stats(const store::StatsParams& params) override;
    store::Vitals vitals(const store::Queues&) override { return store_.vitals(queues_); }

    [[nodiscard]] std::unique_ptr<store::Watch> watch(store::Topic topic) override { return store_.watch(topic); }
    [[nodiscard]] std::string describe() const override { return store_.describe(); }
    [[nodiscard]] std::int64_t rank() const override { return store_.rank(); }

private:
    friend class store::RelayStore<QueueView>;
    template <typename Call>
    auto relay(const std::string& verb, store::Effect, const Call& call) {
        require_open(verb);
        return call(store_);
    }
    void require_open(const std::string& verb) const;

    [[nodiscard]] bool has(const std::string& queue) const;
    [[nodiscard]] bool has_job(const std::vector<std::string>& queues) const;
    [[nodiscard]] bool sees_task(const Uuid& task);
    [[nodiscard]] bool sees_job(const Uuid& job);
    [[nodiscard]] bool sees_schedule(const std::string& name);
    /// Each throws unless the token may give orders to it.
    void require_queue(const std::string& queue) const;
    void require_definition(const std::string& definition) const;
    void require_tasks(const std::vector<Uuid>& tasks);
    void require_jobs(const std::vector<Uuid>& jobs);
    [[nodiscard]] std::vector<store::EventRecord> without_unseen_jobs(std::vector<store::EventRecord> events);

    store::Store& store_;
    const store::Queues queues_;
};

}  // namespace holdfast::api
