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
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Workers);

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

// ---- Behind a server ----------------------------------------------------------------------------

store::WorkerRegistration behind_a_server() {
    auto worker = a_worker();
    worker.via = store::Via::Server;
    worker.secret_hash = std::string(64, 'a');
    return worker;
}

class WorkersBehindServers : public StoreContract {
protected:
    [[nodiscard]] bool is_disconnected() { return store->look().workers.at(0).disconnected; }
};
HOLDFAST_FOR_EVERY_STORE(WorkersBehindServers);

TEST_P(WorkersBehindServers, KeepTheirSecretWhenTheyRegisterAgain) {
    auto worker = behind_a_server();
    store->register_worker(worker);
    EXPECT_EQ(store->look().workers.at(0).via, store::Via::Server);
    worker.secret_hash = std::string(64, 'b');
    store->register_worker(worker);
    EXPECT_EQ(store->workers().at(0).registration.secret_hash, std::string(64, 'a'));
    worker.via = store::Via::Store;
    worker.secret_hash.clear();
    store->register_worker(worker);
    EXPECT_EQ(store->workers().at(0).registration.via, store::Via::Server);
}

TEST_P(WorkersBehindServers, AreDisconnectedUntilTheirNextBeat) {
    const auto worker = behind_a_server();
    store->register_worker(worker);
    store->beat(beat_of(worker.id));
    EXPECT_FALSE(is_disconnected());
    store->note_disconnected({worker.id, random_uuid()});
    EXPECT_TRUE(is_disconnected());
    store->note_disconnected({worker.id});
    EXPECT_TRUE(is_disconnected());
    store->beat(beat_of(worker.id));
    EXPECT_FALSE(is_disconnected());
}

TEST_P(WorkersBehindServers, HaveExitedByTheirKeepersTestimonyUntilTheirNextBeat) {
    const auto worker = behind_a_server();
    EXPECT_FALSE(store->note_exited(worker.id));
    store->register_worker(worker);
    store->beat(beat_of(worker.id));
    EXPECT_TRUE(store->note_exited(worker.id));
    EXPECT_TRUE(store->note_exited(worker.id));
    EXPECT_TRUE(store->look().workers.at(0).exited);
    store->beat(beat_of(worker.id));
    EXPECT_FALSE(store->look().workers.at(0).exited) << "a beat was still under way, or the testimony was false";
    store->deregister_worker(worker.id);
    EXPECT_FALSE(store->note_exited(worker.id));
}

TEST_P(WorkersBehindServers, AreTheOnlyOnesThatAServerReports) {
    const Uuid worker = join(*store);
    store->beat(beat_of(worker));
    store->note_disconnected({worker});
    EXPECT_FALSE(is_disconnected());
    store->note_disconnected({});
    EXPECT_FALSE(store->note_exited(worker));
}

// ---- A network that loses and doubles ------------------------------------------------------------

class WorkersBehindABadNetwork : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    [[nodiscard]] StoreBehindServer& network() { return dynamic_cast<StoreBehindServer&>(*store); }

    Uuid worker;
};
INSTANTIATE_TEST_SUITE_P(Store, WorkersBehindABadNetwork, testing::ValuesIn(every_store_behind_a_server()),
                         kind_name);

TEST_P(WorkersBehindABadNetwork, AreGrantedTheSameTasksWhenTheAnswerToAClaimIsLost) {
    submit(tasks(clock.now(), 5));
    network().lose_answers(1);
    EXPECT_THAT(claim(*store, worker, 2).tasks, SizeIs(2));
    EXPECT_EQ(store->count().running, 2);
    EXPECT_EQ(store->count().pending, 3);
}

TEST_P(WorkersBehindABadNetwork, AreToldThatARunIsFinishedAlreadyWhenTheAnswerIsLost) {
    const Uuid task = submit();
    const auto lease = claim_one(worker);
    network().lose_answers(1);
    EXPECT_EQ(finish(*store, worker, completed(lease, "1")).fenced, store::Fenced::Already);
    EXPECT_EQ(record(*store, task).result, "1");
    EXPECT_EQ(record(*store, task).history.attempts, 1);
}

TEST_P(WorkersBehindABadNetwork, FailACallAsInDoubtWhenNoAnswerComesAtAll) {
    submit();
    network().lose_answers(2);
    const store::TurnParams turn{.worker = worker, .request = random_uuid(), .to_start = 1};
    EXPECT_THROW((void)store->turn(turn), store::Unavailable);
    EXPECT_THAT(store->turn(turn).claimed.tasks, SizeIs(1)) << "the same turn again is granted the same task";
    EXPECT_EQ(store->count().running, 1);
}

TEST_P(WorkersBehindABadNetwork, DoNothingTwiceWhenRequestsAreDoubled) {
    submit(tasks(clock.now(), 3));
    network().double_requests();
    const auto claimed = claim(*store, worker, 1, 1).tasks;
    ASSERT_THAT(claimed, SizeIs(2));
    EXPECT_EQ(store->count().pending, 1);
    const auto running = lease_of(claimed.at(0)), held = lease_of(claimed.at(1));
    store->append_logs(worker, {{.task = running.task,
                                 .lease = running.lease,
                                 .sequence = 0,
                                 .stream = "stdout",
                                 .text = "once",
                                 .at = clock.now()}});
    EXPECT_THAT(store->read_logs({.task = running.task}), SizeIs(1));
    const auto answer = store->turn({.worker = worker, .finish = {completed(running)}, .hand_back = {held}});
    EXPECT_EQ(answer.finished.at(0).fenced, store::Fenced::Applied);
    EXPECT_THAT(answer.handed_back, ElementsAre(store::Fenced::Applied));
    EXPECT_EQ(store->count().completed, 1);
    EXPECT_EQ(store->count().pending, 2);
    EXPECT_EQ(record(*store, running.task).history.attempts, 1);
}

TEST_P(WorkersBehindABadNetwork, RegisterOnceWhenTheAnswerIsLost) {
    network().lose_answers(1);
    store->register_worker(a_worker());
    EXPECT_THAT(store->workers(), SizeIs(2));
}

}  // namespace
}  // namespace holdfast::contract
