#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "store/jobs/steering.h"
#include "store/list_guide.h"
#include "store/postgres/batches.h"
#include "store/postgres/bell.h"
#include "store/postgres/job_tables.h"
#include "store/postgres/known_incarnation.h"
#include "store/postgres/lane.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/routes.h"
#include "store/shared_calls.h"

namespace holdfast::postgres {

/// How a connection of the store for this purpose is made.
[[nodiscard]] ConnectParams connect_params(const OpenParams& params, const std::string& purpose,
                                           const Patience& patience);

/// The store over a PostgreSQL database. Its verbs stand in files by their subject; most of their SQL stands in
/// functions, in migrations/, so that it works the same through any pooler.
class PostgresStore final : public store::JobSteering {
public:
    explicit PostgresStore(const OpenParams& params);

    // submit.cc
    std::vector<store::SubmitOutcome> submit(const std::vector<store::NewTask>& tasks) override;
    // tasks.cc
    std::vector<std::optional<store::TaskRecord>> find(const std::vector<Uuid>& ids) override;
    std::vector<store::TaskRecord> list(const store::ListParams& params) override;
    store::TaskCounts count(const store::Queues& queues) override;
    std::vector<store::AttemptRecord> attempts(const Uuid& task) override;
    std::vector<store::EventRecord> events(const store::ReadEventsParams& params) override;
    std::vector<store::EventRecord> last_events(std::size_t limit, const store::Queues& queues) override;
    std::vector<store::EventRecord> job_events(const store::JobEventsParams& params) override;
    void note_disconnected(const std::vector<Uuid>& workers) override;
    bool note_exited(const Uuid& worker) override;
    void append_event(const store::EventRecord& event) override;
    std::vector<store::EventRecord> orders(const store::OrdersParams& params) override;
    store::EventWriters event_writers() override;
    // steer.cc
    std::vector<store::CancelStatus> cancel(const store::CancelParams& params) override;
    std::vector<store::ForceStatus> force(const store::ForceParams& params) override;
    std::vector<store::QueueRecord> queues() override;
    void set_queue_paused(const std::string& queue, bool paused, const std::string& who) override;
    // keys.cc
    std::vector<store::KeyRecord> keys(const store::KeysParams& params) override;
    store::DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) override;
    bool remove_key(const std::string& key, const std::string& queue, const std::string& who) override;
    // turn.cc
    store::TurnAnswer turn(const store::TurnParams& params) override;
    // progress.cc
    std::vector<store::Fenced> save_progress(const Uuid& worker,
                                             const std::vector<store::ProgressReport>& reports) override;
    std::vector<store::Fenced> append_logs(const Uuid& worker, const std::vector<store::LogChunk>& chunks) override;
    std::vector<store::LogRecord> read_logs(const store::ReadLogsParams& params) override;
    // workers.cc
    store::RegisterAnswer register_worker(const store::WorkerRegistration& worker) override;
    bool deregister_worker(const Uuid& worker) override;
    store::BeatAnswer beat(const store::BeatParams& params) override;
    std::vector<store::WorkerRecord> workers() override;
    bool order_worker(const store::OrderParams& params) override;
    store::RemoveStatus remove_worker(const Uuid& worker, const std::string& who) override;
    void append_worker_snapshot(const store::WorkerSnapshot& snapshot) override;
    std::vector<store::WorkerSnapshot> worker_snapshots(const Uuid& worker, std::size_t limit) override;
    // recovery.cc
    store::LivenessView look() override;
    std::vector<bool> mark_lost(const std::vector<store::LostWorker>& workers) override;
    std::vector<store::LeaseRecord> leases(const store::FindLeasesParams& params) override;
    std::vector<store::RecoverOutcome> recover(const store::RecoverParams& params) override;
    std::vector<store::Fenced> ask_to_stop(const store::AskToStopParams& params) override;
    store::SweepLeaseAnswer sweep_lease(const std::string& holder, Duration expiry) override;
    void note_sweep(const store::SweepNote& note) override;
    std::vector<store::SweepNote> sweep_notes() override;
    // unmatched.cc
    std::size_t expire_overdue(std::size_t limit) override;
    std::vector<store::RouteBacklog> backlog() override;
    std::vector<Uuid> unmatched_tasks(const store::UnmatchedParams& params) override;
    std::vector<bool> reject(const store::RejectParams& params) override;
    // prune.cc
    store::PruneAnswer prune(const store::PruneParams& params) override;
    // jobs.cc
    std::vector<store::SubmitOutcome> start_jobs(const std::vector<store::NewJob>& jobs) override;
    std::vector<std::optional<JobInfo>> find_jobs(const std::vector<Uuid>& ids) override;
    std::vector<JobInfo> list_jobs(const JobQuery& query, const store::Queues& queues) override;
    std::vector<Uuid> jobs_with_prefix(const std::string& prefix, std::size_t limit,
                                       const store::Queues& queues) override;
    std::string job_definition(const Uuid& job) override;
    std::optional<std::pair<Uuid, std::string>> step_of_task(const Uuid& task) override;
    std::vector<StepInfo> steps(const store::StepsParams& params) override;
    // steer_jobs.cc
    std::vector<SteerStatus> pause_jobs(const store::SteerJobsParams& params) override;
    // job_recovery.cc
    std::size_t end_due_waits(std::size_t limit) override;
    std::size_t cancel_overdue_jobs(std::size_t limit, const std::string& who) override;
    // schedules.cc
    void put_schedule(const store::ScheduleDefinition& schedule, const std::string& who) override;
    std::vector<store::ScheduleRecord> schedules() override;
    bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) override;
    bool remove_schedule(const std::string& schedule, const std::string& who) override;
    bool fire(const store::FireParams& params) override;
    // tokens.cc
    store::CreateTokenStatus create_token(const store::NewToken& token) override;
    std::vector<store::TokenRecord> tokens() override;
    std::optional<store::TokenRecord> find_token(const std::string& hash) override;
    bool revoke_token(const std::string& name_or_id, const std::string& who) override;
    void note_token_use(const Uuid& token, const std::string& from) override;
    // sessions.cc
    void create_session(const store::NewSession& session, const std::string& who) override;
    std::optional<store::SessionRecord> find_session(const std::string& hash) override;
    void note_session_use(const Uuid& session, const std::string& from) override;
    std::vector<store::SessionRecord> sessions() override;
    bool end_session(const Uuid& session, const std::string& who) override;
    // replicas.cc
    void beat_replica(const store::Replica& replica) override;
    std::vector<store::ReplicaRecord> replicas() override;
    void remove_replica(const Uuid& replica) override;
    std::size_t prune_replicas(Duration older_than) override;
    // stats.cc
    store::JobCounts count_jobs(const store::Queues& queues) override;
    store::Stats stats(const store::StatsParams& params) override;
    store::Vitals vitals(const store::Queues& queues) override;
    store::EndedTasks ended_tasks(Timestamp since, Timestamp until) override;
    // migrate.cc
    [[nodiscard]] std::int64_t rank() const override { return incarnation_.known().rank; }
    [[nodiscard]] std::int64_t history() const override { return incarnation_.history(); }
    store::MigrateAnswer migrate() override;
    // check.cc
    store::CheckReport check() override;
    // check_up.cc
    std::vector<store::Finding> check_up() override;

    std::unique_ptr<store::Watch> watch(store::Topic topic) override { return bell_.watch(topic); }
    Timestamp now() override;
    [[nodiscard]] std::string describe() const override;

private:
    /// Like Lane::transact on the lane for work; before the commit the jobs of tasks that ended advance, and after it
    /// the waiters are woken.
    template <typename Body>
    auto transact(const Body& body) {
        return transact_on(work_, body);
    }
    template <typename Body>
    auto transact_on(Lane& lane, const Body& body) {
        Rings rings;
        const auto attempt = [&](bool is_careful) {
            return lane.transact([&](Transaction& tx) {
                tx.is_careful = is_careful;
                auto result = body(tx);
                advance_jobs(tx);
                rings = {.work = tx.brings_work, .done = tx.ends_tasks, .orders = tx.gives_orders};
                return result;
            });
        };
        auto answer = unless_overtaken([&] { return attempt(false); }, [&] { return attempt(true); });
        bell_.ring(rings);
        return answer;
    }
    template <typename Short, typename Long>
    static auto unless_overtaken(const Short& short_way, const Long& long_way) {
        try {
            return short_way();
        } catch (const Overtaken&) {
            return long_way();
        }
    }

    // steer.cc
    template <typename Status, typename Round>
    std::vector<Status> steer_all(const std::vector<Uuid>& tasks, const Round& round);

    // advance.cc
    /// Tells the jobs which of their tasks have ended in this transaction; then frees slots. Jobs that cannot be
    /// advanced make the transaction Overtaken; with care, they are left as they are.
    void advance_jobs(Transaction& tx);
    void advance(Transaction& tx, const std::vector<store::JustEnded>& ended);
    void advance_with_care(Transaction& tx, const std::vector<store::JustEnded>& ended);
    /// Leaves the transaction as it was when the jobs cannot be advanced, and says why; nullopt: done.
    std::optional<std::string> try_to_advance(Transaction& tx, const std::vector<store::JustEnded>& ended);
    /// Runs `body(Orchestrator&)` inside the transaction, which holds the trees concerned, and settles what it said.
    template <typename Body>
    auto orchestrate(Transaction& tx, const Body& body) {
        PostgresJobTables tables(tx, routes_, params_.limits);
        store::Orchestrator orchestrator(tables, definitions_, {tables.now(), params_.limits, tx.who});
        auto answer = body(orchestrator);
        orchestrator.settle();
        tx.brings_work |= orchestrator.brought_work();
        tx.ends_tasks |= orchestrator.ended_jobs();
        return answer;
    }

    // jobs.cc
    void start_batch(const std::vector<store::NewJob>& jobs, const Batch& batch,
                     std::vector<store::SubmitOutcome>& outcomes);
    /// nullptr: its definition cannot be read.
    [[nodiscard]] std::shared_ptr<const core::BundlePlan> plan_of(const Uuid& definition);
    /// nullptr: the same, or its workflow is not in it.
    [[nodiscard]] const core::WorkflowPlan* find_plan(const store::JobHead& job,
                                                      std::shared_ptr<const core::BundlePlan>& bundle);
    [[nodiscard]] std::string step_name(const store::JobHead& job, int step, int item);
    [[nodiscard]] std::vector<store::JobRow> read_jobs(const std::vector<Uuid>& ids);
    [[nodiscard]] std::unordered_map<Uuid, JobInfo> read_infos(const std::vector<Uuid>& ids);
    void read_step_counts(const std::vector<store::JobRow>& jobs, std::unordered_map<Uuid, JobInfo>& infos);

    // stats.cc
    [[nodiscard]] std::int64_t count_approvals(const Rows& steps, const store::Queues& queues);

    // steer_jobs.cc
    void in_tree(const Uuid& job, const std::string& who,
                 const std::function<void(store::Orchestrator&)>& body) override;
    std::size_t cancel_tasks_of(const Uuid& job, const std::string& who,
                                const std::optional<std::string>& reason = std::nullopt) override;

    // job_recovery.cc
    std::size_t end_waits(const std::vector<store::StepKey>& due);
    bool cancel_overdue(const Uuid& job, const std::string& who);
    std::vector<Uuid> open_roots(const store::RepairParams& params) override;
    void repair_tree(const Uuid& root, const std::string& who, store::RepairAnswer& answer) override;
    int steer_tasks(Transaction& tx, const std::vector<Uuid>& jobs);

    // schedules.cc
    /// Starts the job of a schedule's slot, and asks for the cancel of the one that it replaces. False: not accepted.
    bool start_slot(Transaction& tx, const store::FireParams& params, const store::ScheduleRecord& record,
                    const Uuid& replaced);

    // submit.cc
    /// The short way, for plain tasks that are all new, in one statement. False: they are not, and nothing was
    /// written.
    bool submit_plain(const std::vector<store::NewTask>& tasks);
    void share(PlainSubmit& submit);
    void accept_plain(std::vector<PlainSubmit*> submits);
    [[nodiscard]] std::vector<bool> too_old(const std::vector<store::NewTask>& tasks);
    [[nodiscard]] bool is_rare(store::ListGuide by, const store::TaskFilter& filter);
    [[nodiscard]] std::vector<store::TaskRecord> read_tasks(const std::vector<Uuid>& ids);
    void submit_batch(const std::vector<store::NewTask>& tasks, const Batch& batch, const std::vector<int>& routes,
                      const std::vector<bool>& old, std::vector<store::SubmitOutcome>& outcomes);

    // turn.cc
    /// Finishes a batch of runs. The starts and the claim of the turn ride with the last one.
    void finish_batch(const store::TurnParams& params, const std::vector<store::FinishedRun>& runs,
                      const Batch& batch, bool is_last, store::TurnAnswer& answer);
    /// The same in one round trip, for runs that all returned a value and hold their leases. False: they are not of
    /// that kind, and nothing was changed.
    bool complete(const store::TurnParams& params, const std::vector<store::FinishedRun>& runs, const Batch& batch,
                  bool is_last, store::TurnAnswer& answer);
    // claim.cc
    store::ClaimAnswer claim(const store::TurnParams& params);
    /// See holdfast.turn(): part of a turn in one transaction. With a claim a second command reads what it took.
    [[nodiscard]] std::vector<Command> turn_commands(const store::TurnParams& params, const TurnPart& part);
    /// The answer to commands with a claim. nullopt: nothing was claimed, because the worker's routes were out of
    /// date, or because the claim has to be made in a transaction of its own.
    std::optional<store::ClaimAnswer> read_claim(const store::TurnParams& params, const std::vector<Rows>& answers);

    /// Holds the worker's advisory lock on the connection for beats: its proof of life.
    void hold_session(const Uuid& worker);
    void release_session(const Uuid& worker);

    // migrate.cc
    /// Its connections meet the history of the database before they are used.
    [[nodiscard]] ConnectParams greeted(ConnectParams params);

    OpenParams params_;
    KnownIncarnation incarnation_;
    Lane work_;
    Lane beats_;
    Lane upkeep_;                             // for what may take any time
    std::unordered_map<Uuid, int> sessions_;  // locks held, and in which generation of the connection; under its turn
    Routes routes_;
    Bell bell_;
    store::SharedCalls<PlainSubmit> plain_submits_{store::most_shared_submits};
    std::atomic<bool> last_submits_were_new_ = true;
    store::DefinitionCache definitions_;
    std::atomic<bool> last_claim_was_empty_ = true;
    std::atomic<bool> last_finish_was_of_steps_ = false;
};

}  // namespace holdfast::postgres
