#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::WorkerStatus;

class Beat : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    store::WorkerRecord shown() {
        for (const auto& one : store->workers()) {
            if (one.registration.id == worker) return one;
        }
        return {};
    }
    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Beat);

TEST_P(Beat, CountsAndKeepsWhatTheWorkerSays) {
    submit(tasks(clock.now(), 2));
    const auto leases = leases_of(claim(*store, worker, 1, 1).tasks);
    const std::vector<store::HeldLease> held = {
        {.lease = leases[0], .running = true, .runner_pid = 99, .runner_beat_age = 250ms},
        {.lease = leases[1], .running = false, .runner_pid = 0, .runner_beat_age = 0ms}};
    const auto before = shown().beat;
    clock.advance(3s);
    const auto answer = store->beat(beat_of(worker, held));
    EXPECT_TRUE(answer.known);
    EXPECT_FALSE(answer.drain);
    EXPECT_FALSE(answer.cordoned);
    EXPECT_THAT(answer.lost, IsEmpty());
    EXPECT_THAT(answer.stop, IsEmpty());
    EXPECT_THAT(answer.unlisted, IsEmpty());
    const auto found = shown();
    EXPECT_EQ(found.beat, before + 1);
    EXPECT_EQ(found.last_heartbeat, clock.now());
    EXPECT_THAT(found.held, testing::UnorderedElementsAreArray(held));
    clock.advance(7s);
    EXPECT_EQ(shown().seconds_ago, Duration(7s));
}

TEST_P(Beat, OfAnUnknownWorkerSaysSoAndChangesNothing) {
    EXPECT_FALSE(store->beat(beat_of(random_uuid())).known);
    EXPECT_THAT(store->workers(), SizeIs(1));
}

TEST_P(Beat, CarriesTheStatus) {
    auto beat = beat_of(worker);
    beat.status = WorkerStatus::Draining;
    store->beat(beat);
    EXPECT_EQ(shown().status, WorkerStatus::Draining);
    beat.status = WorkerStatus::Inactive;
    store->beat(beat);
    EXPECT_EQ(shown().status, WorkerStatus::Inactive);
}

TEST_P(Beat, OfAWorkerMarkedInactiveMakesItActiveAgain) {
    store->mark_lost({{.worker = worker, .beat = shown().beat, .who = "s", .evidence = "silent", .data = ""}});
    ASSERT_EQ(shown().status, WorkerStatus::Inactive);
    store->beat(beat_of(worker));
    EXPECT_EQ(shown().status, WorkerStatus::Active);
    std::vector<std::string> kinds;
    for (const auto& event : store->events({.task = {}, .worker = worker, .after_id = 0, .limit = 10})) {
        kinds.push_back(event.kind);
    }
    EXPECT_THAT(kinds, ElementsAre("worker_lost", "worker_reactivated"));
}

TEST_P(Beat, NamesLeasesThatAreLost) {
    submit(tasks(clock.now(), 3));
    const auto leases = leases_of(claim(*store, worker, 3).tasks);
    recover(*store, crash_verdict(leases[0]));
    finish(*store, worker, completed(leases[1]));
    const auto answer = store->beat(beat_of(worker, {{.lease = leases[0], .running = true},
                                                     {.lease = leases[1], .running = true},
                                                     {.lease = leases[2], .running = true},
                                                     {.lease = {new_task_id(clock.now()), 3}, .running = true}}));
    EXPECT_THAT(answer.lost, SizeIs(3));
    EXPECT_THAT(answer.lost, Contains(leases[0]));
    EXPECT_THAT(answer.lost, Contains(leases[1]));
    EXPECT_THAT(answer.lost, Not(Contains(leases[2])));
}

TEST_P(Beat, NamesALeaseOfAnotherWorkerAsLost) {
    submit();
    const Uuid other = join(*store);
    const auto lease = claim_one(other);
    EXPECT_THAT(store->beat(beat_of(worker, {{.lease = lease, .running = true}})).lost, ElementsAre(lease));
}

TEST_P(Beat, NamesUnlistedLeasesAndCountsThemInARow) {
    submit();
    const auto lease = claim_one(worker);
    for (int beats = 1; beats <= 3; ++beats) {
        EXPECT_THAT(store->beat(beat_of(worker)).unlisted, ElementsAre(lease));
        EXPECT_EQ(store->leases({}).at(0).unlisted_beats, beats);
    }
    EXPECT_THAT(store->beat(beat_of(worker, {{.lease = lease, .running = true}})).unlisted, IsEmpty());
    EXPECT_EQ(store->leases({}).at(0).unlisted_beats, 0);
}

TEST_P(Beat, CarriesRequestsToStopUntilTheRunIsFinished) {
    submit();
    const auto lease = claim_one(worker);
    store->ask_to_stop(
        {.requests = {{.lease = lease, .reason = store::StopReason::Timeout}}, .who = "s", .reason = "slow"});
    for (int i = 0; i < 2; ++i) {
        const auto answer = store->beat(beat_of(worker, {{.lease = lease, .running = true}}));
        ASSERT_THAT(answer.stop, SizeIs(1));
        EXPECT_EQ(answer.stop[0].reason, store::StopReason::Timeout);
    }
    finish(*store, worker, failed(lease, "TASK_TIMEOUT"));
    EXPECT_THAT(store->beat(beat_of(worker)).stop, IsEmpty());
}

TEST_P(Beat, SavesTheProgressOfItsOwnLeasesOnly) {
    submit(tasks(clock.now(), 2));
    const Uuid other = join(*store);
    const auto mine = claim_one(worker);
    const auto theirs = claim_one(other);
    auto beat = beat_of(worker, {{.lease = mine, .running = true}});
    beat.progress = {{.lease = mine, .fraction = 0.5, .text = "half", .checkpoint = "7"},
                     {.lease = {theirs.task, mine.lease}, .fraction = 0.9, .text = "wrong", .checkpoint = "8"}};
    store->beat(beat);
    EXPECT_EQ(record(*store, mine.task).progress->fraction, 0.5);
    EXPECT_EQ(record(*store, mine.task).checkpoint, "7");
    EXPECT_EQ(record(*store, theirs.task).progress, std::nullopt);
}

TEST_P(Beat, KeepsHistoryOnlyWhenAskedAndTheViewUnfoldsIt) {
    submit(tasks(clock.now(), 2));
    const auto leases = leases_of(claim(*store, worker, 1, 1).tasks);
    auto beat = beat_of(
        worker, {{.lease = leases[0], .running = true, .runner_pid = 99}, {.lease = leases[1], .running = false}});
    store->beat(beat);
    const auto raw = database->raw();
    EXPECT_EQ(raw->number("SELECT count(*) FROM heartbeats"), 0);
    beat.keep_history = true;
    store->beat(beat);
    EXPECT_EQ(raw->number("SELECT count(*) FROM heartbeats"), 2);
    EXPECT_EQ(raw->number("SELECT count(*) FROM heartbeats WHERE role = 'runner'"), 1);
    EXPECT_EQ(raw->number("SELECT count(*) FROM heartbeats WHERE role = 'claimer'"), 1);
    EXPECT_EQ(raw->number("SELECT count(DISTINCT id) FROM heartbeats WHERE hostname = 'host-a' AND pid IS NOT NULL"
                          " AND sent_at IS NOT NULL AND sender_id IS NOT NULL AND task_id IS NOT NULL"),
              2);
}

TEST_P(Beat, WithAThousandLeasesIsOneBeat) {
    submit(tasks(clock.now(), 1000));
    std::vector<store::HeldLease> held;
    for (const auto& one : claim_fully(*store, worker, 1000))
        held.push_back({.lease = lease_of(one), .running = true});
    const auto answer = store->beat(beat_of(worker, held));
    EXPECT_THAT(answer.lost, IsEmpty());
    EXPECT_THAT(answer.unlisted, IsEmpty());
    EXPECT_THAT(shown().held, SizeIs(1000));
}

}  // namespace
}  // namespace holdfast::contract
