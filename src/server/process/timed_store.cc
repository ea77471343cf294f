#include "server/process/timed_store.h"

#include <utility>

#include "platform/service_loop.h"

namespace holdfast::server {

namespace {

using namespace store;  // its verbs are all that this file is about

/// Hands every verb on, and tells how long each took.
class TimedStore final : public Store {
    /// From its making to its end, whether by an answer or by an exception.
    class Stretch {
    public:
        Stretch(const char* verb, const WhenTimed& tell)
            : verb_(verb), tell_(tell), began_(platform::machine_time()) {}
        ~Stretch() { tell_(verb_, platform::machine_time() - began_); }
        Stretch(const Stretch&) = delete;
        Stretch& operator=(const Stretch&) = delete;

    private:
        const char* verb_;
        const WhenTimed& tell_;
        const Duration began_;
    };

    template <typename Call>
    auto timed(const char* verb, const Call& call) {
        const Stretch stretch(verb, tell_);
        return call();
    }

public:
    TimedStore(std::unique_ptr<Store> store, WhenTimed tell) : store_(std::move(store)), tell_(std::move(tell)) {}

    // Tasks, their execution, workers, recovery, queues
    std::vector<SubmitOutcome> submit(const std::vector<NewTask>& tasks) override {
        return timed("submit", [&] { return store_->submit(tasks); });
    }
    std::vector<std::optional<TaskRecord>> find(const std::vector<Uuid>& ids) override {
        return timed("find", [&] { return store_->find(ids); });
    }
    std::vector<TaskRecord> list(const ListParams& params) override {
        return timed("list", [&] { return store_->list(params); });
    }
    TaskCounts count() override {
        return timed("count", [&] { return store_->count(); });
    }
    std::vector<AttemptRecord> attempts(const Uuid& task) override {
        return timed("attempts", [&] { return store_->attempts(task); });
    }
    std::vector<EventRecord> events(const ReadEventsParams& params) override {
        return timed("events", [&] { return store_->events(params); });
    }
    std::vector<EventRecord> last_events(std::size_t limit) override {
        return timed("last_events", [&] { return store_->last_events(limit); });
    }
    std::vector<CancelStatus> cancel(const CancelParams& params) override {
        return timed("cancel", [&] { return store_->cancel(params); });
    }
    std::vector<ForceStatus> force(const ForceParams& params) override {
        return timed("force", [&] { return store_->force(params); });
    }
    ClaimAnswer claim(const ClaimParams& params) override {
        return timed("claim", [&] { return store_->claim(params); });
    }
    std::vector<Fenced> start(const LeasesParams& params) override {
        return timed("start", [&] { return store_->start(params); });
    }
    FinishAnswer finish(const FinishParams& params) override {
        return timed("finish", [&] { return store_->finish(params); });
    }
    std::vector<Fenced> hand_back(const LeasesParams& params) override {
        return timed("hand_back", [&] { return store_->hand_back(params); });
    }
    std::vector<Fenced> save_progress(const std::vector<ProgressReport>& reports) override {
        return timed("save_progress", [&] { return store_->save_progress(reports); });
    }
    std::vector<Fenced> append_logs(const std::vector<LogChunk>& chunks) override {
        return timed("append_logs", [&] { return store_->append_logs(chunks); });
    }
    std::vector<LogRecord> read_logs(const ReadLogsParams& params) override {
        return timed("read_logs", [&] { return store_->read_logs(params); });
    }
    RegisterAnswer register_worker(const WorkerRegistration& worker) override {
        return timed("register_worker", [&] { return store_->register_worker(worker); });
    }
    bool deregister_worker(const Uuid& worker) override {
        return timed("deregister_worker", [&] { return store_->deregister_worker(worker); });
    }
    BeatAnswer beat(const BeatParams& params) override {
        return timed("beat", [&] { return store_->beat(params); });
    }
    std::vector<WorkerRecord> workers() override {
        return timed("workers", [&] { return store_->workers(); });
    }
    bool order_worker(const OrderParams& params) override {
        return timed("order_worker", [&] { return store_->order_worker(params); });
    }
    RemoveStatus remove_worker(const Uuid& worker) override {
        return timed("remove_worker", [&] { return store_->remove_worker(worker); });
    }
    void append_worker_snapshot(const WorkerSnapshot& snapshot) override {
        return timed("append_worker_snapshot", [&] { return store_->append_worker_snapshot(snapshot); });
    }
    std::vector<WorkerSnapshot> worker_snapshots(const Uuid& worker, std::size_t limit) override {
        return timed("worker_snapshots", [&] { return store_->worker_snapshots(worker, limit); });
    }
    LivenessView look() override {
        return timed("look", [&] { return store_->look(); });
    }
    std::vector<bool> mark_lost(const std::vector<LostWorker>& workers) override {
        return timed("mark_lost", [&] { return store_->mark_lost(workers); });
    }
    std::vector<LeaseRecord> leases(const FindLeasesParams& params) override {
        return timed("leases", [&] { return store_->leases(params); });
    }
    std::vector<RecoverOutcome> recover(const RecoverParams& params) override {
        return timed("recover", [&] { return store_->recover(params); });
    }
    std::vector<Fenced> ask_to_stop(const AskToStopParams& params) override {
        return timed("ask_to_stop", [&] { return store_->ask_to_stop(params); });
    }
    std::size_t expire_overdue(std::size_t limit) override {
        return timed("expire_overdue", [&] { return store_->expire_overdue(limit); });
    }
    std::vector<RouteBacklog> backlog() override {
        return timed("backlog", [&] { return store_->backlog(); });
    }
    std::vector<Uuid> unmatched_tasks(const UnmatchedParams& params) override {
        return timed("unmatched_tasks", [&] { return store_->unmatched_tasks(params); });
    }
    std::vector<bool> reject(const RejectParams& params) override {
        return timed("reject", [&] { return store_->reject(params); });
    }
    PruneAnswer prune(const PruneParams& params) override {
        return timed("prune", [&] { return store_->prune(params); });
    }
    SweepLeaseAnswer sweep_lease(const std::string& holder, Duration expiry) override {
        return timed("sweep_lease", [&] { return store_->sweep_lease(holder, expiry); });
    }
    void note_sweep(const SweepNote& note) override {
        return timed("note_sweep", [&] { return store_->note_sweep(note); });
    }
    std::vector<SweepNote> sweep_notes() override {
        return timed("sweep_notes", [&] { return store_->sweep_notes(); });
    }
    std::vector<QueueRecord> queues() override {
        return timed("queues", [&] { return store_->queues(); });
    }
    void set_queue_paused(const std::string& queue, bool paused, const std::string& who) override {
        return timed("set_queue_paused", [&] { return store_->set_queue_paused(queue, paused, who); });
    }
    std::vector<KeyRecord> keys(const KeysParams& params) override {
        return timed("keys", [&] { return store_->keys(params); });
    }
    DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) override {
        return timed("declare_key", [&] { return store_->declare_key(key, who); });
    }
    bool remove_key(const std::string& key, const std::string& queue, const std::string& who) override {
        return timed("remove_key", [&] { return store_->remove_key(key, queue, who); });
    }
    MigrateAnswer migrate() override {
        return timed("migrate", [&] { return store_->migrate(); });
    }
    std::vector<Finding> check_up() override {
        return timed("check_up", [&] { return store_->check_up(); });
    }
    Timestamp now() override {
        return timed("now", [&] { return store_->now(); });
    }

    // Jobs and schedules
    std::vector<SubmitOutcome> start_jobs(const std::vector<NewJob>& jobs) override {
        return timed("start_jobs", [&] { return store_->start_jobs(jobs); });
    }
    std::vector<std::optional<JobInfo>> find_jobs(const std::vector<Uuid>& ids) override {
        return timed("find_jobs", [&] { return store_->find_jobs(ids); });
    }
    std::vector<JobInfo> list_jobs(const JobQuery& query) override {
        return timed("list_jobs", [&] { return store_->list_jobs(query); });
    }
    std::vector<Uuid> jobs_with_prefix(const std::string& prefix, std::size_t limit) override {
        return timed("jobs_with_prefix", [&] { return store_->jobs_with_prefix(prefix, limit); });
    }
    std::vector<StepInfo> steps(const StepsParams& params) override {
        return timed("steps", [&] { return store_->steps(params); });
    }
    std::string job_definition(const Uuid& job) override {
        return timed("job_definition", [&] { return store_->job_definition(job); });
    }
    std::vector<EventRecord> job_events(const JobEventsParams& params) override {
        return timed("job_events", [&] { return store_->job_events(params); });
    }
    std::optional<std::pair<Uuid, std::string>> step_of_task(const Uuid& task) override {
        return timed("step_of_task", [&] { return store_->step_of_task(task); });
    }
    std::vector<SteerStatus> cancel_jobs(const SteerJobsParams& params) override {
        return timed("cancel_jobs", [&] { return store_->cancel_jobs(params); });
    }
    std::vector<SteerStatus> pause_jobs(const SteerJobsParams& params) override {
        return timed("pause_jobs", [&] { return store_->pause_jobs(params); });
    }
    std::vector<SteerStatus> resume_jobs(const SteerJobsParams& params) override {
        return timed("resume_jobs", [&] { return store_->resume_jobs(params); });
    }
    DecideStatus decide_approval(const DecideParams& params) override {
        return timed("decide_approval", [&] { return store_->decide_approval(params); });
    }
    RetryStatus retry_job(const RetryJobParams& params) override {
        return timed("retry_job", [&] { return store_->retry_job(params); });
    }
    std::size_t end_due_waits(std::size_t limit) override {
        return timed("end_due_waits", [&] { return store_->end_due_waits(limit); });
    }
    std::size_t cancel_overdue_jobs(std::size_t limit, const std::string& who) override {
        return timed("cancel_overdue_jobs", [&] { return store_->cancel_overdue_jobs(limit, who); });
    }
    RepairAnswer repair_jobs(const RepairParams& params) override {
        return timed("repair_jobs", [&] { return store_->repair_jobs(params); });
    }
    void put_schedule(const ScheduleDefinition& schedule, const std::string& who) override {
        return timed("put_schedule", [&] { return store_->put_schedule(schedule, who); });
    }
    std::vector<ScheduleRecord> schedules() override {
        return timed("schedules", [&] { return store_->schedules(); });
    }
    bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) override {
        return timed("set_schedule_paused", [&] { return store_->set_schedule_paused(schedule, paused, who); });
    }
    bool remove_schedule(const std::string& schedule, const std::string& who) override {
        return timed("remove_schedule", [&] { return store_->remove_schedule(schedule, who); });
    }
    bool fire(const FireParams& params) override {
        return timed("fire", [&] { return store_->fire(params); });
    }

    // What servers need
    CreateTokenStatus create_token(const NewToken& token) override {
        return timed("create_token", [&] { return store_->create_token(token); });
    }
    std::vector<TokenRecord> tokens() override {
        return timed("tokens", [&] { return store_->tokens(); });
    }
    std::optional<TokenRecord> find_token(const std::string& hash) override {
        return timed("find_token", [&] { return store_->find_token(hash); });
    }
    bool revoke_token(const std::string& name_or_id, const std::string& who) override {
        return timed("revoke_token", [&] { return store_->revoke_token(name_or_id, who); });
    }
    void note_token_use(const Uuid& token, const std::string& from) override {
        return timed("note_token_use", [&] { return store_->note_token_use(token, from); });
    }
    void beat_replica(const Replica& replica) override {
        return timed("beat_replica", [&] { return store_->beat_replica(replica); });
    }
    std::vector<ReplicaRecord> replicas() override {
        return timed("replicas", [&] { return store_->replicas(); });
    }
    void remove_replica(const Uuid& replica) override {
        return timed("remove_replica", [&] { return store_->remove_replica(replica); });
    }
    std::size_t prune_replicas(Duration older_than) override {
        return timed("prune_replicas", [&] { return store_->prune_replicas(older_than); });
    }
    void append_event(const EventRecord& event) override {
        return timed("append_event", [&] { return store_->append_event(event); });
    }
    JobCounts count_jobs() override {
        return timed("count_jobs", [&] { return store_->count_jobs(); });
    }
    Stats stats(const StatsParams& params) override {
        return timed("stats", [&] { return store_->stats(params); });
    }
    EventWriters event_writers() override {
        return timed("event_writers", [&] { return store_->event_writers(); });
    }
    Pulse pulse() override {
        return timed("pulse", [&] { return store_->pulse(); });
    }
    EndedTasks ended_tasks(Timestamp since, Timestamp until) override {
        return timed("ended_tasks", [&] { return store_->ended_tasks(since, until); });
    }

    // What asks no database
    std::unique_ptr<Watch> watch(Topic topic) override { return store_->watch(topic); }
    [[nodiscard]] std::string describe() const override { return store_->describe(); }

private:
    const std::unique_ptr<Store> store_;
    const WhenTimed tell_;
};

}  // namespace

std::unique_ptr<store::Store> timed(std::unique_ptr<store::Store> store, WhenTimed tell) {
    return std::make_unique<TimedStore>(std::move(store), std::move(tell));
}

}  // namespace holdfast::server
