#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

/// What the PostgreSQL store does about a server that can go away at any moment.
class PostgresHabits : public testing::Test {
protected:
    void SetUp() override {
        database = make_database(StoreKind::Postgres);
        store = open();
        raw = database->raw();
    }
    [[nodiscard]] std::unique_ptr<store::Store> open() const {
        return open_store({.kind = StoreKind::Postgres, .address = database->address()}, clock);
    }
    /// Ends every connection of the store, as a failover or an administrator would.
    void terminate_backends() const {
        raw->execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
            "pg_backend_pid()");
    }
    /// Makes the same call until it is answered; every failure on the way must be of the kind that says so.
    template <typename Call>
    auto persistently(const Call& call) const {
        for (int tries = 0;; ++tries) {
            try {
                return call();
            } catch (const store::Unavailable&) {
                if (tries == 500) throw;
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        }
    }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<RawSql> raw;
};

/// Every message wakes every listener of the database: a process that only submits had better not be one.
TEST_F(PostgresHabits, AStoreListensOnlyToTheTopicsThatItWatches) {
    const auto last_word = [&] {
        return raw->value(
            "SELECT query FROM pg_stat_activity WHERE application_name = 'holdfast wake-ups' "
            "AND datname = current_database()");
    };
    const auto await_word = [&](const std::string& word) {
        for (int tries = 0; tries < 1000 && last_word() != word; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        EXPECT_EQ(last_word(), word);
    };
    store->submit({a_task(clock.now())});
    await_word("NOTIFY holdfast_work");
    const auto done = store->watch(store::Topic::Done);
    EXPECT_EQ(last_word(), "LISTEN holdfast_done");
    const auto orders = store->watch(store::Topic::Orders);
    EXPECT_EQ(last_word(), "LISTEN holdfast_orders");
}

/// The row of a removed id is gone only once the removal has committed: until then the insert waits for it.
TEST_F(PostgresHabits, ASubmitThatWaitsForTheRemovalOfItsIdIsTooOld) {
    const auto task = a_task(clock.now());
    store->submit({task});
    cancel(*store, task.id);
    const auto submitter = open();
    raw->execute("BEGIN");
    raw->execute("SELECT holdfast.delete_tasks(ARRAY[" + raw->literal(task.id) + "]::uuid[])");
    store::SubmitOutcome outcome;
    std::thread submitting([&] { outcome = submitter->submit({task}).at(0); });
    const auto watcher = database->raw();
    while (watcher->number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                           "AND wait_event_type = 'Lock'") == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    raw->execute("COMMIT");
    submitting.join();
    EXPECT_EQ(outcome.status, store::SubmitStatus::TooOld);
    EXPECT_EQ(store->count().pending, 0);
}

/// Lists by name find it by its route: an entry in the index of names would be a tenth of what a submit writes.
TEST_F(PostgresHabits, ATaskThatItsRouteNamesTakesNoEntryInTheIndexOfNames) {
    const auto of_function = [&] {
        auto task = a_task(clock.now(), "send");
        task.tags = {"task:send"};
        return task;
    };
    store->submit({of_function()});
    store->submit({of_function(), of_function()});
    auto patient = of_function();
    patient.policy.retry.max_attempts = 3;
    store->submit({patient});
    raw->execute("SELECT holdfast.submit('send')");
    EXPECT_EQ(raw->number("SELECT count(*) FROM task"), 5);
    EXPECT_EQ(raw->number("SELECT count(*) FROM task WHERE by_name"), 0);
    store->submit({a_task(clock.now(), "send")});
    store->submit({a_task(clock.now(), "send"), a_task(clock.now(), "send")});
    raw->execute("SELECT holdfast.submit('send', spec => '{\"kind\": \"script\", \"command\": [\"true\"]}')");
    EXPECT_EQ(raw->number("SELECT count(*) FROM task WHERE by_name"), 4);
    store::ListParams named;
    named.filter.name = "send";
    EXPECT_THAT(store->list(named), SizeIs(9));
}

/// Rows of one transaction have one xmin.
TEST_F(PostgresHabits, SubmitsOfSeveralThreadsThatComeAtOnceShareACommit) {
    store->submit({a_task(clock.now())});
    // The connection is held up until all have come.
    raw->execute("BEGIN");
    raw->execute("LOCK TABLE task IN EXCLUSIVE MODE");
    std::atomic<int> started = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            ++started;
            store->submit({a_task(clock.now())});
        });
    const auto watcher = database->raw();
    while (started < 8 || watcher->number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                                          "AND wait_event_type = 'Lock'") == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    raw->execute("COMMIT");
    threads.clear();
    EXPECT_EQ(raw->number("SELECT count(*) FROM task"), 9);
    EXPECT_LT(raw->number("SELECT count(DISTINCT xmin::text) FROM task"), 9);
}

TEST_F(PostgresHabits, AClaimWhoseKeyRetentionIsJustDeletingStillGetsItsSlot) {
    const Uuid worker = join(*store);
    const auto first = with_key(a_task(clock.now()), "printer");
    const auto second = with_key(a_task(clock.now()), "printer");
    store->submit({first});
    finish(*store, worker, completed(lease_of(claim(*store, worker, 1).tasks.at(0))));
    store->submit({second});
    raw->execute("BEGIN");
    raw->execute("DELETE FROM concurrency WHERE key = 'printer'");
    store::ClaimAnswer answer;
    std::jthread claiming([&] { answer = claim(*open(), worker, 1); });
    PostgresRaw watcher(database->address());
    while (watcher.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                          " AND wait_event_type = 'Lock'") == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    raw->execute("COMMIT");
    claiming.join();
    EXPECT_THAT(ids_of(answer.tasks), testing::ElementsAre(second.id));
    EXPECT_EQ(record(*store, second.id).waits_for, WaitReason::None);
}

TEST_F(PostgresHabits, ALostConnectionBeforeAnyVerbCostsAtMostAnotherCall) {
    const auto batch = tasks(clock.now(), 4);
    const auto registration = a_worker();
    const auto through_a_loss = [&](const auto& call) {
        terminate_backends();
        return persistently(call);
    };
    through_a_loss([&] { return store->submit(batch); });
    through_a_loss([&] { return store->register_worker(registration); });
    const store::TurnParams claim{.worker = registration.id, .request = random_uuid(), .to_start = 2, .to_hold = 2};
    const auto claimed = through_a_loss([&] { return store->turn(claim).claimed; });
    ASSERT_THAT(claimed.tasks, SizeIs(4));
    const auto leases = leases_of(claimed.tasks);
    through_a_loss([&] { return store->turn({.worker = registration.id, .start = {leases[2]}}).started; });
    through_a_loss([&] { return store->turn({.worker = registration.id, .hand_back = {leases[3]}}).handed_back; });
    through_a_loss([&] {
        return store->save_progress(registration.id,
                                    {{.lease = leases[0], .fraction = 0.5, .text = "half", .checkpoint = "1"}});
    });
    through_a_loss([&] {
        return store->append_logs(registration.id, {{.task = leases[0].task,
                                                     .lease = leases[0].lease,
                                                     .sequence = 0,
                                                     .stream = "log",
                                                     .text = "x",
                                                     .at = clock.now()}});
    });
    through_a_loss([&] { return store->beat(beat_of(registration.id)); });
    through_a_loss([&] {
        return store->turn({.worker = registration.id, .finish = {completed(leases[0]), failed(leases[1])}});
    });
    through_a_loss(
        [&] { return store->recover({.who = "s", .leases = {crash_verdict(leases[2], registration.id)}}); });
    through_a_loss([&] { return store->cancel({.tasks = {leases[3].task}, .who = "ann", .reason = ""}); });
    const auto counts = through_a_loss([&] { return store->count(); });
    EXPECT_EQ(counts.completed, 1);
    EXPECT_EQ(counts.failed, 2);
    EXPECT_EQ(counts.cancelled, 1);
    EXPECT_EQ(counts.pending + counts.claimed + counts.running, 0);
    for (const auto& lease : {leases[0], leases[1], leases[2]}) EXPECT_THAT(store->attempts(lease.task), SizeIs(1));
    EXPECT_THAT(store->read_logs({.task = leases[0].task, .after_offset = 0, .limit = 10}), SizeIs(1));
}

TEST_F(PostgresHabits, ConnectionsLostInTheMiddleOfEverythingLoseAndDoubleNothing) {
    std::atomic<bool> is_over = false;
    std::atomic<int> calls_done = 0;
    std::jthread saboteur([&] {
        const auto own = database->raw();
        // On a busy machine a fresh connection needs longer than that for its first call: then it is given more time.
        auto pause = 15ms;
        for (int before = 0; !is_over; before = calls_done) {
            own->execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND application_name <> 'holdfast-test'");
            std::this_thread::sleep_for(pause);
            pause = calls_done == before ? std::min(2 * pause, 1000ms) : 15ms;
        }
    });
    const auto registration = a_worker();
    persistently([&] { return store->register_worker(registration); });
    std::multiset<Uuid> done;
    for (int round = 0; round < 60; ++round) {
        const auto batch = tasks(clock.now(), 5);
        persistently([&] { return store->submit(batch); });
        ++calls_done;
        const store::TurnParams params{
            .worker = registration.id, .request = random_uuid(), .to_start = 5, .to_hold = 0};
        const auto claimed = persistently([&] { return store->turn(params).claimed; });
        ++calls_done;
        std::vector<store::FinishedRun> runs;
        for (const auto& one : claimed.tasks) runs.push_back(completed(lease_of(one)));
        const auto finished = persistently([&] { return store->turn({.worker = registration.id, .finish = runs}); });
        ++calls_done;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            EXPECT_NE(finished.finished[i].fenced, Fenced::LeaseLost);
            done.insert(runs[i].lease.task);
        }
    }
    is_over = true;
    saboteur.join();
    EXPECT_EQ(done.size(), 300U);
    EXPECT_EQ(std::set<Uuid>(done.begin(), done.end()).size(), 300U);
    const auto counts = persistently([&] { return store->count(); });
    EXPECT_EQ(counts.completed, 300);
    EXPECT_EQ(counts.pending + counts.claimed + counts.running, 0);
}

TEST_F(PostgresHabits, AWatchHearsAgainAfterItsConnectionWasLost) {
    const auto watch = store->watch(store::Topic::Work);
    terminate_backends();
    const auto other = open();
    bool hears = false;
    for (int tries = 0; tries < 50 && !hears; ++tries) {
        while (watch->wait(50ms)) {
        }
        watch->wake();  // so that the safety poll, which counts from the last news, cannot pass for it
        watch->wait(50ms);
        persistently([&] { return other->submit({a_task(clock.now())}); });
        hears = watch->wait(400ms);
    }
    EXPECT_TRUE(hears);
}

/// The lock lives and dies with the beat's own connection.
TEST_F(PostgresHabits, TheSessionLockProvesThatTheBeatsConnectionLives) {
    const Uuid worker = join(*store);
    auto beat = beat_of(worker);
    beat.proves_session = true;
    store->beat(beat);
    const auto observer = open();
    auto seen = observer->look().workers.at(0);
    EXPECT_TRUE(seen.proves_session);
    EXPECT_TRUE(seen.session_held);
    store.reset();
    for (int tries = 0; tries < 10'000 && seen.session_held; ++tries) {
        std::this_thread::sleep_for(2ms);
        seen = observer->look().workers.at(0);
    }
    EXPECT_FALSE(seen.session_held);
    EXPECT_TRUE(seen.proves_session) << "as its last beat said";
}

TEST_F(PostgresHabits, AWorkerThatDoesNotProveItsSessionSaysSo) {
    const Uuid worker = join(*store);
    store->beat(beat_of(worker));
    EXPECT_FALSE(store->look().workers.at(0).proves_session);
}

TEST_F(PostgresHabits, EightConnectionsOverTheSameLeasesAndKeysNeverDeadlock) {
    constexpr std::size_t count = 400;
    std::vector<store::NewTask> batch;
    for (std::size_t i = 0; i < count; ++i) {
        batch.push_back(with_key(a_task(clock.now()), "k" + std::to_string(i % 7), 1000));
    }
    store->submit(batch);
    const Uuid worker = join(*store);
    const auto leases = leases_of(claim_fully(*store, worker, count));
    ASSERT_THAT(leases, SizeIs(count));
    std::atomic<int> applied = 0;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            const auto own = open();
            auto mine = leases;
            std::shuffle(mine.begin(), mine.end(), std::mt19937(i));
            for (std::size_t first = 0; first < count; first += 50) {
                store::TurnParams finish{.worker = worker};
                store::RecoverParams recover{.who = "sweeper", .leases = {}};
                for (std::size_t k = first; k < first + 50; ++k) {
                    finish.finish.push_back(k % 2 == 0 ? completed(mine[k]) : failed(mine[k]));
                    recover.leases.push_back(crash_verdict(mine[k], worker));
                }
                if (i % 2 == 0) {
                    for (const auto& outcome : own->turn(finish).finished)
                        applied += outcome.fenced == Fenced::Applied;
                } else {
                    for (const auto& outcome : own->recover(recover)) applied += outcome.fenced == Fenced::Applied;
                }
            }
        });
    }
    threads.clear();
    EXPECT_EQ(applied, static_cast<int>(count));
    EXPECT_EQ(raw->number("SELECT count(*) FROM slot"), 0);
    EXPECT_EQ(raw->number("SELECT count(*) FROM lease"), 0);
}

TEST_F(PostgresHabits, ASubmitInsideTheCallersOwnTransactionLivesAndDiesWithIt) {
    // Without safety polls, so that only the transaction can end the wait.
    const auto listener =
        open_store({.kind = StoreKind::Postgres, .address = database->address(), .safety_poll = 1h}, clock);
    const auto watch = listener->watch(store::Topic::Work);
    raw->execute("BEGIN");
    raw->execute("SELECT holdfast.submit('from_sql', '{\"n\":1}')");
    EXPECT_EQ(store->count().pending, 0);
    raw->execute("ROLLBACK");
    EXPECT_EQ(store->count().pending, 0);
    while (watch->wait(100ms)) {
    }
    raw->execute("BEGIN");
    const auto id = Uuid::parse(raw->value("SELECT holdfast.submit('from_sql', '{\"n\":1}')")).value();
    raw->execute("COMMIT");
    EXPECT_TRUE(watch->wait(1min)) << "it rings the bell itself";
    EXPECT_EQ(record(*store, id).task.name, "from_sql");
    EXPECT_EQ(nlohmann::json::parse(record(*store, id).task.args), nlohmann::json({{"n", 1}}));
}

TEST_F(PostgresHabits, AServerThatIsNotThereIsUnavailableAndANameThatIsWrongUnusable) {
    EXPECT_THROW(
        (void)open_store({.kind = StoreKind::Postgres, .address = "postgresql://nobody@127.0.0.1:1/none"}, clock),
        store::Unavailable);
    EXPECT_THROW(
        (void)open_store({.kind = StoreKind::Postgres, .address = with_database(server_url(), "no_such_database")},
                         clock),
        store::Unusable);
}

}  // namespace
}  // namespace holdfast::contract
