#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::RemoveStatus;
using store::WorkerOrder;
using store::WorkerStatus;

class Workers : public StoreContract {
protected:
    store::WorkerRecord only_worker() {
        const auto all = store->workers();
        EXPECT_THAT(all, SizeIs(1));
        return all.at(0);
    }
};
HOLDFAST_FOR_EVERY_STORE(Workers);

TEST_P(Workers, AreListedAsTheyRegistered) {
    const auto registration = a_worker({"b", "a"}, {"t2", "t1"});
    const auto answer = store->register_worker(registration);
    const auto found = only_worker();
    EXPECT_EQ(found.number, answer.number);
    EXPECT_GE(found.number, 1);
    EXPECT_EQ(found.registration.id, registration.id);
    EXPECT_EQ(found.registration.name, registration.name);
    EXPECT_EQ(found.registration.host, registration.host);
    EXPECT_EQ(found.registration.version, registration.version);
    EXPECT_THAT(found.registration.queues, testing::UnorderedElementsAre("a", "b"));
    EXPECT_THAT(found.registration.tags, testing::UnorderedElementsAre("t1", "t2"));
    EXPECT_EQ(found.registration.capacity, registration.capacity);
    EXPECT_EQ(found.registration.beat_interval, registration.beat_interval);
    EXPECT_EQ(found.registration.fence_after, registration.fence_after);
    EXPECT_EQ(found.status, WorkerStatus::Active);
    EXPECT_FALSE(found.cordoned);
    EXPECT_FALSE(found.drain_requested);
    EXPECT_EQ(found.registered_at, clock.now());
}

TEST_P(Workers, HaveDifferentNumbers) {
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < 5; ++i) numbers.push_back(store->register_worker(a_worker()).number);
    std::sort(numbers.begin(), numbers.end());
    EXPECT_EQ(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

TEST_P(Workers, ThatRegisterAgainKeepTheirNumberAndBecomeActive) {
    auto registration = a_worker();
    const auto number = store->register_worker(registration).number;
    store->deregister_worker(registration.id);
    registration.capacity = 99;
    EXPECT_EQ(store->register_worker(registration).number, number);
    EXPECT_EQ(only_worker().status, WorkerStatus::Active);
    EXPECT_EQ(only_worker().registration.capacity, 99);
}

TEST_P(Workers, ThatRegisterAgainAfterRemovalOwnTheLeasesThatNameThem) {
    submit();
    const auto registration = a_worker();
    join(*store, registration);
    const auto lease = claim_one(registration.id);
    database->raw()->execute("DELETE FROM worker");
    EXPECT_FALSE(store->beat(beat_of(registration.id)).known);
    store->register_worker(registration);
    const auto answer = store->beat(beat_of(registration.id, {{.lease = lease, .running = true}}));
    EXPECT_TRUE(answer.known);
    EXPECT_THAT(answer.lost, IsEmpty());
    EXPECT_EQ(finish(*store, registration.id, completed(lease)).fenced, store::Fenced::Applied);
}

TEST_P(Workers, ThatDeregisterAreInactive) {
    const Uuid worker = join(*store);
    EXPECT_TRUE(store->deregister_worker(worker));
    EXPECT_EQ(only_worker().status, WorkerStatus::Inactive);
    EXPECT_FALSE(store->deregister_worker(random_uuid()));
}

TEST_P(Workers, CanBeCordonedAndUncordoned) {
    const Uuid worker = join(*store);
    EXPECT_TRUE(store->order_worker({.worker = worker, .order = WorkerOrder::Cordon, .who = "ann"}));
    EXPECT_TRUE(only_worker().cordoned);
    EXPECT_TRUE(store->beat(beat_of(worker)).cordoned);
    EXPECT_TRUE(store->order_worker({.worker = worker, .order = WorkerOrder::Uncordon, .who = "ann"}));
    EXPECT_FALSE(only_worker().cordoned);
    EXPECT_FALSE(store->beat(beat_of(worker)).cordoned);
    submit();
    claim_one(worker);
}

TEST_P(Workers, CanBeAskedToDrain) {
    const Uuid worker = join(*store);
    EXPECT_FALSE(store->beat(beat_of(worker)).drain);
    EXPECT_TRUE(store->order_worker({.worker = worker, .order = WorkerOrder::Drain, .who = "ann"}));
    EXPECT_TRUE(only_worker().drain_requested);
    EXPECT_TRUE(store->beat(beat_of(worker)).drain);
}

TEST_P(Workers, OrdersAreEventsAndUnknownWorkersTakeNone) {
    const Uuid worker = join(*store);
    store->order_worker({.worker = worker, .order = WorkerOrder::Cordon, .who = "ann"});
    const auto events = store->events({.task = {}, .worker = worker, .after_id = 0, .limit = 10});
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].who, "ann");
    EXPECT_THAT(events[0].message, HasSubstr("cordon"));
    EXPECT_FALSE(store->order_worker({.worker = random_uuid(), .order = WorkerOrder::Drain, .who = "ann"}));
}

TEST_P(Workers, AreRemovedOnlyWhenInactiveAndWithoutLeases) {
    submit();
    const Uuid worker = join(*store);
    const auto lease = claim_one(worker);
    EXPECT_EQ(store->remove_worker(worker, "test"), RemoveStatus::StillActive);
    store->deregister_worker(worker);
    EXPECT_EQ(store->remove_worker(worker, "test"), RemoveStatus::HoldsLeases);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(store->remove_worker(worker, "test"), RemoveStatus::Removed);
    EXPECT_EQ(store->remove_worker(worker, "test"), RemoveStatus::NotFound);
    EXPECT_THAT(store->workers(), IsEmpty());
}

TEST_P(Workers, SnapshotsAreKeptNewestFirst) {
    const Uuid worker = join(*store);
    for (int i = 0; i < 4; ++i) {
        store->append_worker_snapshot({.worker = worker,
                                       .at = {},
                                       .running = i,
                                       .claimed = 2,
                                       .capacity = 8,
                                       .cpu_percent = 12.5,
                                       .memory_mb = 100.25,
                                       .load = 0.5});
        clock.advance(1s);
    }
    const auto found = store->worker_snapshots(worker, 3);
    ASSERT_THAT(found, SizeIs(3));
    EXPECT_EQ(found[0].running, 3);
    EXPECT_EQ(found[2].running, 1);
    EXPECT_EQ(found[0].worker, worker);
    EXPECT_EQ(found[0].at, clock.now() - 1s);
    EXPECT_EQ(found[0].claimed, 2);
    EXPECT_EQ(found[0].capacity, 8);
    EXPECT_EQ(found[0].cpu_percent, 12.5);
    EXPECT_EQ(found[0].memory_mb, 100.25);
    EXPECT_EQ(found[0].load, 0.5);
    EXPECT_THAT(store->worker_snapshots(random_uuid(), 3), IsEmpty());
}

}  // namespace
}  // namespace holdfast::contract
