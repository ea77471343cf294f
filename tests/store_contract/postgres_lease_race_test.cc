#include <future>
#include <thread>

#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {

namespace {

/// Leases are written by their place, and a row that is updated gets another one.
class PostgresLeaseRace : public testing::Test {
protected:
    void SetUp() override {
        database_ = make_database(StoreKind::Postgres);
        store_ = open_store({.kind = StoreKind::Postgres, .address = database_->address()}, clock_);
        raw_ = std::make_unique<PostgresRaw>(database_->address());
        worker_ = join(*store_);
        for (const auto& outcome : store_->submit({a_task(clock_.now()), a_task(clock_.now())}))
            ASSERT_EQ(outcome.status, store::SubmitStatus::Accepted);
    }

    /// The answer to a turn that began while another transaction had changed the leases, and waited for its commit.
    store::TurnAnswer turn_during_a_change(const store::TurnParams& params) {
        PostgresRaw other(database_->address());
        other.execute("BEGIN");
        other.execute("UPDATE lease SET unlisted_beats = unlisted_beats + 1");
        auto answer = std::async(std::launch::async, [&] { return store_->turn(params); });
        while (raw_->number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                            " AND wait_event_type = 'Lock'") == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        other.execute("COMMIT");
        return answer.get();
    }

    FakeClock clock_;
    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<PostgresRaw> raw_;
    Uuid worker_;
};

/// The parameter: how many of the two tasks the first of two claims under the same request takes.
class PostgresClaimRace : public PostgresLeaseRace, public testing::WithParamInterface<int> {};

}  // namespace

TEST_F(PostgresLeaseRace, FinishOfALeaseThatChangesAtThatMomentIsApplied) {
    const auto claimed = claim(*store_, worker_, 2).tasks;
    const auto answer = turn_during_a_change(
        {.worker = worker_, .finish = {completed(lease_of(claimed.at(0))), completed(lease_of(claimed.at(1)))}});
    for (const auto& outcome : answer.finished) EXPECT_EQ(outcome.fenced, store::Fenced::Applied);
    EXPECT_EQ(state_of(*store_, claimed.at(0).task.id), TaskState::Completed);
    EXPECT_EQ(raw_->number("SELECT count(*) FROM lease"), 0);
}

TEST_F(PostgresLeaseRace, StartOfALeaseThatChangesAtThatMomentIsApplied) {
    const auto claimed = claim(*store_, worker_, 0, 2).tasks;
    const auto answer =
        turn_during_a_change({.worker = worker_, .start = {lease_of(claimed.at(0)), lease_of(claimed.at(1))}});
    EXPECT_THAT(answer.started, ElementsAre(store::Fenced::Applied, store::Fenced::Applied));
    EXPECT_EQ(state_of(*store_, claimed.at(1).task.id), TaskState::Running);
}

/// As after a connection that was given up for lost while its backend was still at work.
TEST_P(PostgresClaimRace, TheSameClaimOverTwoConnectionsIsGrantedOnce) {
    const Uuid request = random_uuid();
    PostgresRaw other(database_->address());
    other.execute("BEGIN");
    other.execute(
        "SELECT holdfast.turn(" + other.literal(worker_) + ", '{}', '{}', '{}', '{}', '{}', " +
        other.literal(request) + ", " + std::to_string(GetParam()) +
        ", 0, 1000, w.queues, w.tags, (SELECT count(*) FROM route), (SELECT array_agg(id) FROM route), false,"
        " 1, 0) FROM worker w");
    const auto granted = other.number("SELECT count(*) FROM lease");
    ASSERT_EQ(granted, GetParam());
    auto answer = std::async(std::launch::async, [&] {
        return store_->turn({.worker = worker_, .request = request, .to_start = 2}).claimed;
    });
    while (raw_->number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        " AND wait_event_type = 'Lock'") == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    other.execute("COMMIT");
    const auto tasks = answer.get().tasks;
    EXPECT_THAT(tasks, SizeIs(static_cast<std::size_t>(GetParam())));
    EXPECT_EQ(raw_->number("SELECT count(*) FROM lease"), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Granted, PostgresClaimRace, testing::Values(1, 2), testing::PrintToStringParamName());

TEST_F(PostgresLeaseRace, TurnFinishesStartsAndClaimsInOneTransaction) {
    const auto first = claim(*store_, worker_, 1, 1).tasks;
    const auto task = a_task(clock_.now());
    ASSERT_EQ(store_->submit({task}).at(0).status, store::SubmitStatus::Accepted);
    const auto answer = store_->turn({.worker = worker_,
                                      .request = random_uuid(),
                                      .finish = {completed(lease_of(first.at(0)))},
                                      .start = {lease_of(first.at(1))},
                                      .to_start = 1});
    EXPECT_EQ(answer.finished.at(0).fenced, store::Fenced::Applied);
    EXPECT_EQ(answer.started.at(0), store::Fenced::Applied);
    EXPECT_THAT(ids_of(answer.claimed.tasks), ElementsAre(task.id));
    // One transaction wrote all of it.
    EXPECT_EQ(raw_->value("SELECT xmin FROM ending"),
              raw_->value("SELECT xmin FROM lease WHERE task_id = " + raw_->literal(task.id)));
    EXPECT_EQ(raw_->number("SELECT count(DISTINCT xmin::text) FROM lease"), 1);
}

TEST_F(PostgresLeaseRace, ATurnThatReportsAnEndDoesNotWaitForTheKeysOfOthers) {
    const auto running = claim(*store_, worker_, 2).tasks;
    store_->submit({with_key(a_task(clock_.now()), "one")});
    PostgresRaw other(database_->address());
    other.execute("BEGIN");
    other.execute("SELECT 1 FROM concurrency FOR UPDATE");
    store::TurnParams turn{
        .worker = worker_, .request = random_uuid(), .finish = {completed(lease_of(running.at(0)))}, .to_start = 1};
    EXPECT_EQ(store_->turn(turn).claimed.refusal, store::ClaimRefusal::PutOff);
    turn.finish = {ended(lease_of(running.at(1)), core::LeaseEnd::Failed)};
    EXPECT_EQ(store_->turn(turn).claimed.refusal, store::ClaimRefusal::PutOff) << "in a longer transaction, too";
    EXPECT_EQ(state_of(*store_, running.at(0).task.id), TaskState::Completed);
    EXPECT_EQ(state_of(*store_, running.at(1).task.id), TaskState::Failed);
    other.execute("COMMIT");
    turn.finish.clear();
    EXPECT_THAT(store_->turn(turn).claimed.tasks, SizeIs(1)) << "alone it waits";
}

}  // namespace holdfast::contract
