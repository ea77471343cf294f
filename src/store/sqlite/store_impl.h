#pragma once

#include <string>
#include <vector>

#include "store/jobs/steering.h"
#include "store/restored.h"
#include "store/shared_calls.h"
#include "store/sqlite/job_tables.h"
#include "store/sqlite/keys.h"
#include "store/sqlite/known_incarnation.h"
#include "store/sqlite/lane.h"
#include "store/sqlite/places.h"
#include "store/sqlite/routes.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/transaction_room.h"

namespace holdfast::sqlite {

/// A submit of one task, and its answer.
struct SharedSubmit {
    const store::NewTask& task;
    store::SubmitOutcome outcome = {};
};

/// The store over one SQLite file. Its verbs stand in files by their subject.
class SqliteStore final : public store::JobSteering {
public:
    SqliteStore(const OpenParams& params, const Clock& clock);

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
    // incarnations.cc
    [[nodiscard]] std::int64_t rank() const override;
    // migrate.cc
    store::MigrateAnswer migrate() override;
    // backup.cc
    /// Begins a new history of a restored store, and fills in what it did.
    void restart(const store::RestartParams& params, store::RestartAnswer& answer);
    // check.cc
    store::CheckReport check() override;
    // check_up.cc
    std::vector<store::Finding> check_up() override;

    std::unique_ptr<store::Watch> watch(store::Topic topic) override {
        return watch_doorbell(path_, topic, safety_poll_);
    }
    Timestamp now() override { return clock_.now(); }
    [[nodiscard]] std::string describe() const override { return "sqlite:" + path_; }

private:
    /// Like Lane::write, on the lane for work; meets the file, and settles before the commit.
    template <typename Body, typename Limit = Lane::Pace>
    auto write(const Body& body, const Limit& limit = Lane::Pace::Bounded) {
        return work_.write(
            [&](Transaction& tx) {
                meet(tx);
                auto answer = body(tx);
                settle(tx);
                return answer;
            },
            limit);
    }

    /// Like Lane::write, on the lane for beats; meets the file. `body` may throw HistoryForked: then the store is
    /// rolled over, and the body runs again.
    template <typename Body>
    auto write_beat(const Body& body) {
        for (;;) {
            try {
                return beats_.write([&](Transaction& tx) {
                    meet_on_beat(tx);
                    return body(tx);
                });
            } catch (const HistoryForked& history) {
                give_up(history);
            }
        }
    }

    // incarnations.cc
    /// The first meeting with the file, when the store is opened. Writes only if the store has to roll over.
    void meet_first();
    /// Checks that the file has the history that this process knows; rolls it over where history may have forked.
    void meet(Transaction& tx);
    void meet_on_beat(Transaction& tx);
    /// A process that only reads learns of a new rank, too.
    void meet_in_read(Database& db, const std::string& place);
    [[nodiscard]] std::optional<std::string> why_to_roll_over(Transaction& tx);
    /// Rolls the store over when it has given fewer leases than the worker has seen.
    void hear_claim(Transaction& tx, const core::Witness& highest_lease);
    static void hear_beat(const Transaction& tx, const core::Witness& acknowledged, std::int64_t beat);
    /// Rolls over a history that the lane for beats found to have forked.
    void give_up(const HistoryForked& history);
    [[nodiscard]] LaneParams lane_params(const OpenParams& params, Turnstile::Rank rank);

    /// Answers a batch, in order, in as many transactions as it needs.
    template <typename Answer, typename Item, typename Body>
    std::vector<Answer> write_each(const std::vector<Item>& items, const Body& body) {
        std::vector<Answer> answers;
        answers.reserve(items.size());
        for (std::size_t next = 0; next < items.size();) {
            write([&](Transaction& tx) {
                TransactionRoom room;
                for (; next < items.size() && room.takes(items[next]); ++next)
                    answers.push_back(body(tx, items[next]));
                return true;
            });
        }
        return answers;
    }

    // submit.cc
    /// In a transaction that it shares with the submits of other threads.
    store::SubmitOutcome submit_shared(const store::NewTask& task);
    store::SubmitOutcome submit_one(Transaction& tx, const store::NewTask& task);
    store::SubmitOutcome submit_one(Transaction& tx, const store::NewTask& task, bool too_old);

    // turn.cc
    /// Answers what one transaction has room for. Returns whether the whole turn is answered.
    bool continue_turn(Transaction& tx, const store::TurnParams& params, bool& has_claimed,
                       store::TurnAnswer& answer);
    bool finish_runs(Transaction& tx, const store::TurnParams& params, TransactionRoom& room,
                     std::vector<store::FinishOutcome>& outcomes);
    // claim.cc
    store::ClaimAnswer claim_in(Transaction& tx, const store::TurnParams& params);

    // advance.cc
    /// Advances the jobs of tasks that have ended or started in this transaction, and moves up tasks that wait for
    /// freed keys.
    void settle(Transaction& tx);
    /// Tells the jobs which of their tasks have ended or started in this transaction.
    void advance_jobs(Transaction& tx);
    /// Runs `body(Orchestrator&)` inside the transaction and settles what it said.
    template <typename Body>
    auto orchestrate(Transaction& tx, const Body& body) {
        SqliteJobTables tables(tx, [&](const store::NewTask& task) { return submit_one(tx, task, false); });
        store::Orchestrator orchestrator(tables, definitions_, {tx.now, limits_, tx.who});
        auto answer = body(orchestrator);
        orchestrator.settle();
        tx.ends_tasks |= orchestrator.ended_jobs();
        tx.brings_work |= orchestrator.brought_work();
        return answer;
    }
    /// Leaves the transaction as it was when the jobs cannot be advanced, and says why; nullopt: done.
    std::optional<std::string> try_to_advance(Transaction& tx, const std::vector<store::JustEnded>& ended,
                                              const std::vector<Uuid>& started);

    // steer_jobs.cc
    void in_tree(const Uuid& job, const std::string& who,
                 const std::function<void(store::Orchestrator&)>& body) override;
    std::size_t cancel_tasks_of(const Uuid& job, const std::string& who,
                                const std::optional<std::string>& reason = std::nullopt) override;

    // job_recovery.cc
    bool end_waits(const std::vector<store::StepKey>& due);
    bool cancel_overdue_job(const Uuid& job, const store::Overdue& why, const std::string& who);
    std::vector<Uuid> open_roots(const store::RepairParams& params) override;
    void repair_tree(const Uuid& root, const std::string& who, store::RepairAnswer& answer) override;

    // schedules.cc
    /// Starts the job of a slot, and cancels the one before; false: it was not accepted.
    bool start_slot(Transaction& tx, const store::FireParams& params, const store::ScheduleRecord& record,
                    const Uuid& replaced);

    // jobs.cc
    /// nullptr: its definition cannot be read.
    std::shared_ptr<const core::BundlePlan> plan_of(Database& db, const Uuid& definition);
    /// The plan of a job's workflow, alive as long as `bundle` is; nullptr: none.
    const core::WorkflowPlan* find_plan(Database& db, const Uuid& job,
                                        std::shared_ptr<const core::BundlePlan>& bundle);
    std::string step_name(Database& db, const Uuid& job, int step, int item);
    std::optional<JobInfo> find_job(Database& db, const Uuid& id);

    // stats.cc
    std::int64_t count_approvals(Database& db, const store::Queues& queues);

    std::string path_;
    store::Limits limits_;
    const Duration safety_poll_;
    const Clock& clock_;
    KnownIncarnation known_;
    Routes routes_;
    core::Incarnation routes_of_;  // the history that the routes were read from
    Lane work_;
    Lane beats_;
    store::DefinitionCache definitions_;
    store::SharedCalls<SharedSubmit> submits_{store::most_shared_submits};
};

}  // namespace holdfast::sqlite
