#include <dlfcn.h>
#include <libpq-fe.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/text.h"
#include "store_contract/job_fixture.h"
#include "store_contract/postgres_plans.h"
#include "store_contract/postgres_raw.h"

namespace holdfast::contract {
namespace {

/// Round trips of this thread to a server: each ends with a synchronisation.
thread_local int round_trips = 0;

}  // namespace
}  // namespace holdfast::contract

/// Takes the place of libpq's own, which it calls.
extern "C" int PQpipelineSync(PGconn* connection) {
    static const auto real = reinterpret_cast<int (*)(PGconn*)>(dlsym(RTLD_NEXT, "PQpipelineSync"));
    ++holdfast::contract::round_trips;
    return real(connection);
}

namespace holdfast::contract {
namespace {

using store::Fenced;

/// Jobs on a server whose other sessions work on the same trees.
class PostgresJobs : public JobContract {
protected:
    void SetUp() override {
        JobContract::SetUp();
        raw = std::make_unique<PostgresRaw>(database->address());
    }

    /// Steps side by side, and one that waits for all of them.
    [[nodiscard]] static core::Workflow fan_in(int width) {
        std::vector<core::WorkflowStep> steps;
        std::vector<std::string> names;
        for (int i = 0; i < width; ++i) names.push_back(concat("s", i));
        for (const auto& name : names) steps.push_back(a_step(name));
        steps.push_back(a_step("last", names));
        return a_flow(std::move(steps));
    }

    /// A store of one's own in every thread, so that they meet in the database only. What a thread throws is a
    /// failure.
    template <typename Body>
    std::jthread with_own_store(const Body& body) {
        return std::jthread([this, body] {
            try {
                const auto own = open();
                body(*own);
            } catch (const std::exception& problem) {
                ADD_FAILURE() << problem.what();
            }
        });
    }

    /// Claims, starts, hands back and finishes, until told to stop.
    static void work(store::Store& own, const std::atomic<bool>& is_over) {
        const Uuid self = contract::join(own, a_worker({"default"}, {"task:work"}));
        while (!is_over) {
            const auto claimed = claim(own, self, 3, 2).tasks;
            store::TurnParams params{.worker = self};
            for (const auto& task : claimed) {
                if (task.started)
                    params.finish.push_back(completed(lease_of(task)));
                else
                    params.start.push_back(lease_of(task));
            }
            if (claimed.empty()) continue;
            const auto answer = own.turn(params);
            for (std::size_t i = 0; i < params.start.size(); ++i) {
                const auto& lease = params.start[i];
                if (answer.started[i] == Fenced::Applied) finish(own, self, completed(lease));
                if (answer.started[i] == Fenced::Withdrawn) own.turn({.worker = self, .hand_back = {lease}});
            }
        }
    }

    /// Sessions tell of their deadlocks when they end.
    [[nodiscard]] long deadlocks() const {
        for (int tries = 0; tries < 500; ++tries) {
            const auto others = raw->number(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = 'holdfast' AND pid <> pg_backend_pid()");
            if (others <= 1) break;
            std::this_thread::sleep_for(2ms);
        }
        return raw->number("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
    }

    /// Seen by a session of its own: within a transaction the answer would stay what it was first.
    void wait_until_somebody_waits_for_a_lock() const {
        PostgresRaw watcher(database->address());
        while (watcher.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                              " AND wait_event_type = 'Lock'") == 0)
            std::this_thread::sleep_for(1ms);
    }

    std::unique_ptr<PostgresRaw> raw;
};
INSTANTIATE_TEST_SUITE_P(Store, PostgresJobs, testing::Values(StoreKind::Postgres), kind_name);

TEST_P(PostgresJobs, StepsThatEightWorkersFinishAtOnceLoseNoCountWhileTheirJobIsPausedAndResumed) {
    const auto job = start({fan_in(200)});
    std::atomic<bool> is_over = false;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) threads.push_back(with_own_store([&](store::Store& own) { work(own, is_over); }));
        threads.push_back(with_own_store([&](store::Store& own) {
            for (int done = 0; !is_over;) {
                own.pause_jobs({{job}, "ann", ""});
                own.resume_jobs({{job}, "ann", ""});
                for (const int before = done; done == before && !is_over;) {  // they get somewhere in between
                    clock.advance(1s);  // what was handed back waits for its time
                    const auto now = own.find_jobs({job}).at(0).value();
                    done = now.steps.completed;
                    is_over = is_terminal(now.state);
                }
            }
        }));
    }
    EXPECT_EQ(state(job), JobState::Completed);
    EXPECT_EQ(this->job(job).steps.completed, 201);
    EXPECT_EQ(deadlocks(), 0);
}

TEST_P(PostgresJobs, CancelledUnderTheHandsOfEightWorkersAllEnd) {
    std::vector<Uuid> all;
    for (int i = 0; i < 24; ++i) all.push_back(start({fan_in(20)}));
    std::atomic<bool> is_over = false;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) threads.push_back(with_own_store([&](store::Store& own) { work(own, is_over); }));
        threads.push_back(with_own_store([&](store::Store& own_jobs) {
            for (std::size_t i = 0; i < all.size(); i += 2) own_jobs.cancel_jobs({{all[i]}, "ann", "enough"});
            while (!is_over) {
                clock.advance(1s);
                const auto found = own_jobs.find_jobs(all);
                is_over =
                    std::all_of(found.begin(), found.end(), [](const auto& one) { return is_terminal(one->state); });
            }
        }));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto ended = job(all[i]);
        EXPECT_TRUE(ended.state == JobState::Completed || i % 2 == 0) << to_text(ended.state);
        EXPECT_EQ(ended.steps.waiting + ended.steps.ready + ended.steps.running, 0);
    }
    EXPECT_EQ(raw->number("SELECT count(*) FROM ready") + raw->number("SELECT count(*) FROM waiting"), 0);
    EXPECT_EQ(deadlocks(), 0);
}

TEST_P(PostgresJobs, ClaimedWhileTheirTreeIsLockedAreMarkedAsStartedByTheFirstEnd) {
    const auto id = start({a_flow({a_step("a"), a_step("b")})});
    raw->execute("BEGIN; SELECT job_id FROM job_progress FOR UPDATE");
    const auto claimed = claim(*store, worker, 2).tasks;
    ASSERT_THAT(claimed, SizeIs(2));
    raw->execute("COMMIT");
    EXPECT_EQ(state(id), JobState::Pending);
    finish(*store, worker, completed(lease_of(claimed[0])));
    EXPECT_EQ(state(id), JobState::Running);
    EXPECT_TRUE(job(id).started_at.has_value());
}

TEST_P(PostgresJobs, ThatRunUnmarkedAreNotCancelledForTheirTimeInTheQueue) {
    auto flow = a_flow({a_step("a")});
    flow.queue_timeout = 10s;
    const auto id = start({flow});
    raw->execute("BEGIN; SELECT job_id FROM job_progress FOR UPDATE");
    ASSERT_THAT(claim(*store, worker, 1).tasks, SizeIs(1));
    raw->execute("COMMIT");
    clock.advance(11s);
    EXPECT_EQ(jobs->cancel_overdue_jobs(10, "sweeper"), 0U);
    EXPECT_EQ(state(id), JobState::Running);
}

TEST_P(PostgresJobs, PausedWhileAClaimIsUnderWayStartNothingOfIt) {
    const auto id = start({a_flow({a_step("a")})});
    const auto task = step(id, "a").task;
    raw->execute(concat("BEGIN; WITH gone AS (DELETE FROM ready RETURNING *) INSERT INTO lease (task_id, lease,",
                        " worker_id, claimed_at, run_at, route_id, priority, attempts, crashes, requeues)",
                        " SELECT task_id, nextval('holdfast.lease_number'), ", raw->literal(worker),
                        ", now(), run_at, route_id, priority, 0, 0, 0 FROM gone"));
    auto paused = std::async(std::launch::async, [&] { return pause(id); });
    wait_until_somebody_waits_for_a_lock();
    raw->execute("COMMIT");
    EXPECT_EQ(paused.get(), SteerStatus::Applied);
    const store::TaskLease lease{task, record(*store, task).lease};
    EXPECT_THAT(store->turn({.worker = worker, .start = {lease}}).started, ElementsAre(Fenced::Withdrawn));
    EXPECT_THAT(store->beat(beat_of(worker)).stop, IsEmpty()) << "a pause stops nothing";
    EXPECT_THAT(store->turn({.worker = worker, .hand_back = {lease}}).handed_back, ElementsAre(Fenced::Applied));
    EXPECT_EQ(record(*store, task).waits_for, store::WaitReason::Job);
}

TEST_P(PostgresJobs, StartedTwiceAtOnceUnderOneIdAreOne) {
    const auto job = a_job(clock.now(), {fan_in(20)});
    std::atomic<int> accepted = 0, existing = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 6; ++i)
            threads.push_back(with_own_store([&](store::Store& own) {
                const auto outcome = own.start_jobs({job}).at(0);
                accepted += outcome.status == store::SubmitStatus::Accepted;
                existing += outcome.status == store::SubmitStatus::Existing;
            }));
    }
    EXPECT_EQ(accepted, 1);
    EXPECT_EQ(existing, 5);
    EXPECT_EQ(store->count().pending, 20);
}

class PostgresAdvance : public PostgresJobs {
protected:
    /// Finishes the run, claims for one runner in the same turn, and returns how many round trips that took.
    int turn_with(const store::TaskLease& lease, std::string result = "null") {
        round_trips = 0;
        answer = store->turn({.worker = worker,
                              .request = random_uuid(),
                              .finish = {completed(lease, std::move(result))},
                              .to_start = 1});
        EXPECT_EQ(answer.finished.at(0).fenced, Fenced::Applied);
        return round_trips;
    }
    [[nodiscard]] store::TaskLease next() { return lease_of(answer.claimed.tasks.at(0)); }

    store::TurnAnswer answer;
};
INSTANTIATE_TEST_SUITE_P(Store, PostgresAdvance, testing::Values(StoreKind::Postgres), kind_name);

TEST_P(PostgresAdvance, OfAChainTakesTwoRoundTripsWithTheClaimOfTheNextStep) {
    auto b = a_step("b", {"a"}), c = a_step("c", {"b"}), d = a_step("d", {"c"});
    c.input = "{{ steps.b.output }}";
    const Uuid id = start({a_step("a"), b, c, d});
    turn_with(running(id, "a"));  // from now on the store expects steps
    EXPECT_EQ(turn_with(next(), "7"), 2);
    EXPECT_EQ(answer.claimed.tasks.at(0).task.args, "7");
    EXPECT_EQ(turn_with(next()), 2);
    EXPECT_EQ(turn_with(next(), R"("done")"), 2);
    EXPECT_THAT(answer.claimed.tasks, testing::IsEmpty());
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_EQ(job(id).output, R"("done")");
}

TEST_P(PostgresAdvance, OfAJoinTakesTwoRoundTripsForEachOfItsParents) {
    const Uuid id = start({fan_in(7)});
    turn_with(running(id, "s0"));
    for (int i = 1; i < 7; ++i) EXPECT_EQ(turn_with(running(id, concat("s", i))), 2) << i;
    EXPECT_EQ(turn_with(next()), 2);
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(PostgresAdvance, OfItemsTakesTwoRoundTripsEach) {
    auto each = for_each_step("each", {1, 2, 3, 4});
    each.parallel = 1;
    const Uuid id = start({each});
    turn_with(running(id, "each[0]"));
    EXPECT_EQ(turn_with(next()), 2);
    EXPECT_EQ(answer.claimed.tasks.at(0).task.args, "3");
}

/// Every function that a verb about jobs runs, with a job's own rows as its parameters.
class PostgresJobPlans : public PostgresJobs {
protected:
    void SetUp() override {
        PostgresJobs::SetUp();
        session = std::make_unique<ExplainedSession>(database->address());
    }

    void fill(int count) const {
        raw->execute(concat(
            "INSERT INTO job SELECT gen_random_uuid(), gen_random_uuid(), 'w', '{}', gen_random_uuid(), NULL, NULL,",
            " NULL, 0, NULL, now(), NULL FROM generate_series(1, ", count, ");",
            "INSERT INTO job_progress SELECT id, 'COMPLETED', 0, 0, -1, now(), now() FROM job WHERE workflow = 'w';",
            "INSERT INTO step SELECT id, 0, -1, 'COMPLETED', 0, 0, 0, 0, 0, 0, gen_random_uuid() FROM job",
            " WHERE workflow = 'w'"));
    }

    void every_statement(const Uuid& job) const {
        const auto one = concat("ARRAY[", raw->literal(job), "]::uuid[]");
        const auto tasks = concat("ARRAY(SELECT task_id FROM holdfast.step WHERE job_id = ", raw->literal(job),
                                  " AND task_id IS NOT NULL)");
        const auto nil = concat(raw->literal(Uuid()), "::uuid");
        for (const auto& call : std::vector<std::string>{
                 concat("load_jobs(", one, ")"),
                 concat("load_steps(", one, ", '{0}', '{-1}')"),
                 concat("load_all_steps(", raw->literal(job), ", NULL)"),
                 concat("load_all_steps(", raw->literal(job), ", 0)"),
                 concat("steps_of_tasks(", tasks, ")"),
                 concat("steps_near(", tasks, ")"),
                 concat("jobs_of_tasks(", tasks, ")"),
                 concat("open_children(", raw->literal(job), ")"),
                 concat("task_ends(", tasks, ")"),
                 concat("existing_tasks(", tasks, ")"),
                 concat("tree_of(", raw->literal(job), ")"),
                 concat("step_counts(", one, ", '{9}')"),
                 concat("read_steps(", raw->literal(job), ", 0, 9)"),
                 concat("list_jobs('{RUNNING,PENDING}', '', NULL, false, ", nil, ", ", raw->literal(job), ", 10)"),
                 concat("list_jobs('{}', '', ", raw->literal(job), ", false, ", nil, ", ", raw->literal(job),
                        ", 10)"),
                 concat("list_jobs('{}', '', NULL, true, ", nil, ", ", raw->literal(job), ", 10)"),
                 concat("lock_trees(", one, ")"),
                 concat("lock_steps(", tasks, ")"),
                 concat("begin_jobs(", tasks, ", now())"),
                 concat("hold_leases(", one, ")"),
                 concat("hold_tasks(", one, ")"),
                 concat("jobs_to_steer(", one, ")"),
                 concat("release_tasks(", one, ")"),
                 concat("tasks_to_cancel(", one, ", ", nil, ", 10)"),
                 std::string("due_waits(10)"),
                 concat("lock_idle_trees(", one, ")"),
                 std::string("overdue_jobs(10)"),
                 concat("started_tasks(", raw->literal(job), ")"),
                 concat("open_roots(", nil, ", 10)"),
                 concat("free_slots_of(", tasks, ")"),
                 concat("delete_trees(", one, ", 100)")})
            session->run(concat("SELECT * FROM holdfast.", call));
    }

    std::unique_ptr<ExplainedSession> session;
};
INSTANTIATE_TEST_SUITE_P(Store, PostgresJobPlans, testing::Values(StoreKind::Postgres), kind_name);

TEST_P(PostgresJobPlans, ReadNoTableFromEndToEndWhenTheTablesAreFresh) {
    every_statement(start({fan_in(5)}));
    EXPECT_EQ(full_scan_in(session->take_plans()), "");
}

TEST_P(PostgresJobPlans, ReadNoTableFromEndToEndWhenTheTablesAreLargeAndUnknownToThePlanner) {
    const auto first = start({fan_in(5)});
    every_statement(first);  // plans are made, and kept, while the tables are small
    fill(20000);
    clock.advance(1ms);  // the first job is deleted: no id is accepted up to those of its tasks
    every_statement(start({fan_in(5)}));
    EXPECT_EQ(full_scan_in(session->take_plans()), "");
}

TEST_P(PostgresJobPlans, ReadNoTableFromEndToEndWhenTheTablesAreLargeAndAnalysed) {
    fill(20000);
    const auto job = start({fan_in(5)});
    raw->execute("ANALYZE");
    every_statement(job);
    EXPECT_EQ(full_scan_in(session->take_plans()), "");
}

TEST_P(PostgresJobPlans, FinishAStepOfAJobOfThousandsInAsManyPagesAsOneOfTens) {
    const auto pages_for = [&](int width) {
        const auto job = start({fan_in(width)});
        const auto task =
            raw->value(concat("SELECT task_id FROM step WHERE step = 0 AND job_id = ", raw->literal(job)));
        session->take_plans();
        session->run(concat("SELECT * FROM holdfast.lock_steps('{", task, "}')"));
        session->run(concat("SELECT * FROM holdfast.steps_near('{", task, "}')"));
        session->run(concat("SELECT * FROM holdfast.jobs_of_tasks('{", task, "}')"));
        session->run(concat("SELECT * FROM holdfast.load_jobs(ARRAY[", raw->literal(job), "]::uuid[])"));
        session->run(concat("SELECT * FROM holdfast.load_steps(ARRAY[", raw->literal(job), "]::uuid[], '{", width,
                            "}', '{-1}')"));
        return pages_touched(session->take_plans());
    };
    const long few = pages_for(10);
    EXPECT_GT(few, 0);
    EXPECT_LT(pages_for(3000), few * 3);
}

}  // namespace
}  // namespace holdfast::contract
