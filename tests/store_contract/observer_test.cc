#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;
using store::WorkerStatus;

/// What a sweeper sees and asks.
class Observer : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    store::LostWorker lost(std::int64_t beat) const {
        return {.worker = worker,
                .beat = beat,
                .who = "sweeper",
                .evidence = "its process exited",
                .data = R"({"pid":1})"};
    }
    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE(Observer);

TEST_P(Observer, SeesEveryActiveWorkerWithWhatAVerdictNeeds) {
    store->beat(beat_of(worker));
    store->beat(beat_of(worker));
    const auto view = store->look();
    ASSERT_THAT(view.workers, SizeIs(1));
    const auto& seen = view.workers[0];
    const auto registered = a_worker();
    EXPECT_EQ(seen.id, worker);
    EXPECT_EQ(seen.name, registered.name);
    EXPECT_EQ(seen.host, registered.host);
    EXPECT_EQ(seen.number, store->workers().at(0).number);
    EXPECT_EQ(seen.status, WorkerStatus::Active);
    EXPECT_EQ(seen.beat, store->workers().at(0).beat);
    EXPECT_EQ(seen.beat_interval, registered.beat_interval);
    EXPECT_EQ(seen.fence_after, registered.fence_after);
    EXPECT_FALSE(seen.proves_session);
}

TEST_P(Observer, SeesTheSameEpochWhileTheServerIsTheSame) {
    const auto epoch = store->look().store_epoch;
    EXPECT_EQ(store->look().store_epoch, epoch);
    EXPECT_EQ(open()->look().store_epoch, epoch);
}

TEST_P(Observer, SeesInactiveWorkersOnlyWhileTheyHoldLeases) {
    submit();
    const auto lease = claim_one(worker);
    store->deregister_worker(worker);
    EXPECT_THAT(store->look().workers, SizeIs(1));
    finish(*store, worker, completed(lease));
    EXPECT_THAT(store->look().workers, IsEmpty());
}

TEST_P(Observer, MarksAWorkerLostWithItsEvidence) {
    store->beat(beat_of(worker));
    const auto beat = store->look().workers.at(0).beat;
    EXPECT_THAT(store->mark_lost({lost(beat)}), ElementsAre(true));
    EXPECT_EQ(store->workers().at(0).status, WorkerStatus::Inactive);
    const auto events = store->events({.task = {}, .worker = worker, .after_id = 0, .limit = 10});
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].kind, "worker_lost");
    EXPECT_EQ(events[0].who, "sweeper");
    EXPECT_THAT(events[0].message, HasSubstr("its process exited"));
    EXPECT_EQ(events[0].data, R"({"pid":1})");
}

TEST_P(Observer, IsRefutedByANewerBeat) {
    store->beat(beat_of(worker));
    const auto beat = store->look().workers.at(0).beat;
    store->beat(beat_of(worker));
    EXPECT_THAT(store->mark_lost({lost(beat)}), ElementsAre(false));
    EXPECT_EQ(store->workers().at(0).status, WorkerStatus::Active);
    EXPECT_THAT(store->events({.task = {}, .worker = worker, .after_id = 0, .limit = 10}), IsEmpty());
}

TEST_P(Observer, MarkingAgainIsTrueAndSaysNothingNew) {
    const auto beat = store->look().workers.at(0).beat;
    store->mark_lost({lost(beat)});
    EXPECT_THAT(store->mark_lost({lost(beat)}), ElementsAre(true));
    EXPECT_THAT(store->events({.task = {}, .worker = worker, .after_id = 0, .limit = 10}), SizeIs(1));
    EXPECT_THAT(store->mark_lost({}), IsEmpty());
    auto unknown = lost(0);
    unknown.worker = random_uuid();
    EXPECT_THAT(store->mark_lost({unknown}), ElementsAre(false));
}

TEST_P(Observer, SeesLeasesByTaskIdWithWhatAVerdictNeeds) {
    auto rich = requeued_on_crash(with_key(a_task(clock.now(), "rich"), "k"));
    submit(rich);
    submit();
    const auto claimed = claim(*store, worker, 1, 1).tasks;
    clock.advance(4s);
    const auto found = store->leases({});
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_LT(found[0].lease.task, found[1].lease.task);
    EXPECT_EQ(found[0].lease, lease_of(claimed[0]));
    EXPECT_EQ(found[0].worker, worker);
    EXPECT_EQ(found[0].name, "rich");
    EXPECT_TRUE(found[0].started);
    EXPECT_TRUE(found[0].holds_key);
    EXPECT_EQ(found[0].policy, rich.policy);
    EXPECT_EQ(found[0].started_at, clock.now() - 4s);
    EXPECT_EQ(found[0].unlisted_beats, 0);
    EXPECT_FALSE(found[0].cancel_requested);
    EXPECT_FALSE(found[1].started);
    EXPECT_FALSE(found[1].holds_key);
    EXPECT_EQ(found[1].started_at, std::nullopt);
    cancel(*store, found[1].lease.task);
    EXPECT_TRUE(store->leases({}).at(1).cancel_requested);
}

TEST_P(Observer, SeesLeasesOfOneWorkerAndPageByPage) {
    submit(tasks(clock.now(), 7));
    const Uuid other = join(*store);
    const auto mine = leases_of(claim(*store, worker, 5).tasks);
    claim(*store, other, 2);
    std::vector<store::TaskLease> seen;
    store::FindLeasesParams params{.worker = worker, .after = {}, .limit = 2};
    while (true) {
        const auto page = store->leases(params);
        if (page.empty()) break;
        EXPECT_LE(page.size(), 2U);
        for (const auto& lease : page) seen.push_back(lease.lease);
        params.after = page.back().lease.task;
    }
    EXPECT_EQ(seen, mine);
    EXPECT_THAT(store->leases({}), SizeIs(7));
}

TEST_P(Observer, AsksOnlyCurrentLeasesToStop) {
    submit(tasks(clock.now(), 2));
    const auto leases = leases_of(claim(*store, worker, 2).tasks);
    finish(*store, worker, completed(leases[1]));
    const store::AskToStopParams params{.requests = {{.lease = leases[0], .reason = store::StopReason::Timeout},
                                                     {.lease = leases[1], .reason = store::StopReason::Timeout}},
                                        .who = "sweeper",
                                        .reason = "ran longer than 5 s"};
    EXPECT_THAT(store->ask_to_stop(params), ElementsAre(Fenced::Applied, Fenced::LeaseLost));
    EXPECT_THAT(store->ask_to_stop(params), ElementsAre(Fenced::Already, Fenced::LeaseLost));
    EXPECT_THAT(event_kinds(*store, leases[0].task), ElementsAre("stop_requested"));
    EXPECT_THAT(store->ask_to_stop({.requests = {}, .who = "", .reason = ""}), IsEmpty());
}

TEST_P(Observer, ReadsEventsOnFromAnIdWithALimit) {
    const auto ids = submit(tasks(clock.now(), 4));
    store->cancel({.tasks = ids, .who = "ann", .reason = ""});
    const auto first = store->events({.task = {}, .worker = {}, .after_id = 0, .limit = 3});
    ASSERT_THAT(first, SizeIs(3));
    EXPECT_LT(first[0].id, first[1].id);
    const auto rest = store->events({.task = {}, .worker = {}, .after_id = first.back().id, .limit = 3});
    ASSERT_THAT(rest, SizeIs(1));
    EXPECT_EQ(rest[0].task, ids[3]);
}

}  // namespace
}  // namespace holdfast::contract
