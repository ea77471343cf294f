#include <functional>

#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::ClaimRefusal;

class Claim : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Claim);

TEST_P(Claim, GivesTheTaskWithALeaseAndStartsItForAFreeRunner) {
    auto task = a_task(clock.now(), "work");
    task.args = R"({"n":1})";
    task.tags = {"b", "a"};
    task.policy.timeout = 5s;
    submit(task);
    const Uuid worker = join(*store, a_worker({"default"}, {"a", "b", "c"}));
    clock.advance(2s);
    const auto answer = claim(*store, worker, 5);
    EXPECT_EQ(answer.refusal, ClaimRefusal::None);
    ASSERT_THAT(answer.tasks, SizeIs(1));
    const auto& got = answer.tasks[0];
    EXPECT_EQ(got.task.id, task.id);
    EXPECT_EQ(got.task.name, "work");
    EXPECT_EQ(got.task.args, task.args);
    EXPECT_EQ(got.task.policy, task.policy);
    EXPECT_GT(got.lease, 0);
    EXPECT_TRUE(got.started);
    EXPECT_EQ(got.history, core::History());
    EXPECT_EQ(got.checkpoint, "");

    const auto found = record(*store, task.id);
    EXPECT_EQ(found.state, TaskState::Running);
    EXPECT_EQ(found.lease, got.lease);
    EXPECT_EQ(found.worker, worker);
    EXPECT_EQ(found.claimed_at, clock.now());
    EXPECT_EQ(found.started_at, clock.now());
}

TEST_P(Claim, OfPrefetchedTasksLeavesThemClaimed) {
    const auto ids = submit(tasks(clock.now(), 3));
    const Uuid worker = join(*store);
    const auto answer = claim(*store, worker, 1, 1);
    ASSERT_THAT(ids_of(answer.tasks), ElementsAre(ids[0], ids[1]));
    EXPECT_TRUE(answer.tasks[0].started);
    EXPECT_FALSE(answer.tasks[1].started);
    EXPECT_EQ(state_of(*store, ids[0]), TaskState::Running);
    EXPECT_EQ(state_of(*store, ids[1]), TaskState::Claimed);
    EXPECT_EQ(record(*store, ids[1]).started_at, std::nullopt);
    EXPECT_EQ(state_of(*store, ids[2]), TaskState::Pending);
}

TEST_P(Claim, DoesNotPrefetchTasksWithAKey) {
    const auto keyed = submit(with_priority(with_key(a_task(clock.now()), "k"), 1));
    const auto plain = submit();
    const Uuid worker = join(*store);
    EXPECT_THAT(ids_of(claim(*store, worker, 0, 5).tasks), ElementsAre(plain));
    EXPECT_THAT(ids_of(claim(*store, worker, 5).tasks), ElementsAre(keyed));
}

TEST_P(Claim, GoesByPriorityThenRunAtThenIdAcrossRoutes) {
    std::vector<store::NewTask> batch;
    for (const char* queue : {"b", "a"}) {
        for (const int priority : {60, 40}) {
            for (const auto age : {1s, 3s, 2s}) {
                auto task = with_priority(a_task(clock.now()), priority);
                task.queue = queue;
                if (priority == 40) task.tags = {"t"};
                task.run_at = clock.now() - age;
                batch.push_back(task);
            }
        }
    }
    submit(batch);
    std::sort(batch.begin(), batch.end(), [](const auto& x, const auto& y) {
        return std::tie(x.priority, x.run_at, x.id) < std::tie(y.priority, y.run_at, y.id);
    });
    const Uuid worker = join(*store, a_worker({"a", "b"}, {"t"}));
    std::vector<Uuid> got;
    for (const std::size_t count : {5UL, 1UL, 20UL}) {
        for (const auto& id : ids_of(claim(*store, worker, count).tasks)) got.push_back(id);
    }
    EXPECT_EQ(got, ids_of(batch));
}

TEST_P(Claim, HandsOutLeasesThatOnlyGrow) {
    submit(tasks(clock.now(), 30));
    const Uuid worker = join(*store);
    store::Lease last = 0;
    for (int round = 0; round < 10; ++round) {
        store::Lease highest = last;
        for (const auto& one : claim(*store, worker, 3).tasks) {
            EXPECT_GT(one.lease, last);
            highest = std::max(highest, one.lease);
        }
        last = highest;
    }
    store.reset();
    store = open();
    submit();
    EXPECT_GT(claim_one(worker).lease, last);
}

TEST_P(Claim, AskedAgainWithTheSameRequestReturnsTheSameLeases) {
    submit(tasks(clock.now(), 10));
    const Uuid worker = join(*store);
    const store::TurnParams params{.worker = worker, .request = random_uuid(), .to_start = 2, .to_hold = 2};
    const auto first = store->turn(params).claimed;
    const auto again = store->turn(params).claimed;
    EXPECT_EQ(leases_of(again.tasks), leases_of(first.tasks));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(again.tasks.at(i).started, first.tasks.at(i).started);
    store.reset();
    EXPECT_EQ(leases_of(open()->turn(params).claimed.tasks), leases_of(first.tasks));
}

/// What may become of a worker between a claim and the same claim, asked again because its answer was lost.
struct Fate {
    std::string name;
    std::function<void(store::Store&, const Uuid& worker)> happen;
    ClaimRefusal refusal_of_new_requests;
};

std::vector<Fate> fates() {
    const auto order = [](store::WorkerOrder what) {
        return [what](store::Store& store, const Uuid& worker) {
            store.order_worker({.worker = worker, .order = what, .who = "ann"});
        };
    };
    const auto drain = [order](store::Store& store, const Uuid& worker) {
        order(store::WorkerOrder::Drain)(store, worker);
        auto beat = beat_of(worker);
        beat.status = store::WorkerStatus::Draining;
        EXPECT_TRUE(store.beat(beat).drain);
    };
    const auto leave = [](store::Store& store, const Uuid& worker) { store.deregister_worker(worker); };
    const auto leave_cordoned = [order](store::Store& store, const Uuid& worker) {
        order(store::WorkerOrder::Cordon)(store, worker);
        store.deregister_worker(worker);
    };
    return {{"drains", drain, ClaimRefusal::NotActive},
            {"is deregistered", leave, ClaimRefusal::NotActive},
            {"is cordoned", order(store::WorkerOrder::Cordon), ClaimRefusal::Cordoned},
            {"is cordoned and deregistered", leave_cordoned, ClaimRefusal::NotActive}};
}

TEST_P(Claim, AskedAgainReturnsTheSameLeasesWhateverHasBecomeOfTheWorkerAndOnlyANewRequestIsRefused) {
    for (const auto& fate : fates()) {
        SCOPED_TRACE("the worker " + fate.name);
        submit(tasks(clock.now(), 10));
        const Uuid worker = join(*store);
        const store::TurnParams params{.worker = worker, .request = random_uuid(), .to_start = 2, .to_hold = 2};
        const auto first = store->turn(params).claimed;
        ASSERT_THAT(first.tasks, SizeIs(4));
        fate.happen(*store, worker);
        const auto again = store->turn(params).claimed;
        EXPECT_EQ(again.refusal, ClaimRefusal::None);
        EXPECT_EQ(leases_of(again.tasks), leases_of(first.tasks));
        // By a process that knows nothing of the worker yet.
        EXPECT_EQ(leases_of(open()->turn(params).claimed.tasks), leases_of(first.tasks));

        const auto other = claim(*store, worker, 1);
        EXPECT_EQ(other.refusal, fate.refusal_of_new_requests);
        EXPECT_THAT(other.tasks, IsEmpty());
        // The refusal has not made it forget the request before.
        EXPECT_EQ(leases_of(store->turn(params).claimed.tasks), leases_of(first.tasks));
    }
}

TEST_P(Claim, AskedAgainReturnsOnlyWhatIsStillHeldWhateverHasBecomeOfTheWorker) {
    for (const auto& fate : fates()) {
        SCOPED_TRACE("the worker " + fate.name);
        submit(tasks(clock.now(), 10));
        const Uuid worker = join(*store);
        const store::TurnParams params{.worker = worker, .request = random_uuid(), .to_start = 2};
        const auto first = store->turn(params).claimed;
        ASSERT_THAT(first.tasks, SizeIs(2));
        fate.happen(*store, worker);
        finish(*store, worker, completed(lease_of(first.tasks[0])));
        EXPECT_THAT(leases_of(store->turn(params).claimed.tasks), ElementsAre(lease_of(first.tasks[1])));
        finish(*store, worker, completed(lease_of(first.tasks[1])));
        const auto last = store->turn(params).claimed;
        EXPECT_EQ(last.refusal, ClaimRefusal::None);
        EXPECT_THAT(last.tasks, IsEmpty());
    }
}

TEST_P(Claim, AskedAgainByAWorkerThatWasRemovedIsRefusedAsUnknown) {
    submit();
    const Uuid worker = join(*store);
    const store::TurnParams params{.worker = worker, .request = random_uuid(), .to_start = 1};
    const auto first = store->turn(params).claimed;
    ASSERT_THAT(first.tasks, SizeIs(1));
    finish(*store, worker, completed(lease_of(first.tasks[0])));
    store->deregister_worker(worker);
    ASSERT_EQ(store->remove_worker(worker, "test"), store::RemoveStatus::Removed);
    EXPECT_EQ(store->turn(params).claimed.refusal, ClaimRefusal::UnknownWorker);
}

TEST_P(Claim, WithAnotherRequestReturnsOtherTasks) {
    submit(tasks(clock.now(), 4));
    const Uuid worker = join(*store);
    const auto first = ids_of(claim(*store, worker, 2).tasks);
    const auto second = ids_of(claim(*store, worker, 2).tasks);
    for (const auto& id : second) EXPECT_THAT(first, Not(Contains(id)));
}

TEST_P(Claim, OfNothingAnswersNothing) {
    submit();
    const Uuid worker = join(*store);
    EXPECT_THAT(claim(*store, worker, 0, 0).tasks, IsEmpty());
    EXPECT_EQ(store->count().pending, 1);
}

TEST_P(Claim, OnAnEmptyStoreFindsNothingAndNothingDue) {
    const auto answer = claim(*store, join(*store), 5);
    EXPECT_THAT(answer.tasks, IsEmpty());
    EXPECT_EQ(answer.next_due, std::nullopt);
    EXPECT_FALSE(answer.more);
}

TEST_P(Claim, OfMoreThanOneTransactionHoldsGetsThemAll) {
    const auto ids = submit(tasks(clock.now(), 2500));
    EXPECT_EQ(ids_of(claim_fully(*store, join(*store), 2500)), ids);
}

TEST_P(Claim, IsRefusedToAWorkerThatIsNotThereNotActiveOrCordoned) {
    submit();
    EXPECT_EQ(claim(*store, random_uuid(), 1).refusal, ClaimRefusal::UnknownWorker);

    const Uuid draining = join(*store);
    auto beat = beat_of(draining);
    beat.status = store::WorkerStatus::Draining;
    store->beat(beat);
    EXPECT_EQ(claim(*store, draining, 1).refusal, ClaimRefusal::NotActive);

    const Uuid gone = join(*store);
    store->deregister_worker(gone);
    EXPECT_EQ(claim(*store, gone, 1).refusal, ClaimRefusal::NotActive);

    const Uuid cordoned = join(*store);
    store->order_worker({.worker = cordoned, .order = store::WorkerOrder::Cordon, .who = "ann"});
    EXPECT_EQ(claim(*store, cordoned, 1).refusal, ClaimRefusal::Cordoned);
    EXPECT_EQ(store->count().pending, 1);
}

TEST_P(Claim, LeavesTasksThatNeedWhatTheWorkerHasNot) {
    auto gpu = a_task(clock.now());
    gpu.tags = {"gpu", "linux"};
    auto elsewhere = a_task(clock.now());
    elsewhere.queue = "other";
    submit(std::vector{gpu, elsewhere});
    EXPECT_THAT(claim(*store, join(*store, a_worker({"default"}, {"gpu"})), 5).tasks, IsEmpty());
    EXPECT_THAT(ids_of(claim(*store, join(*store, a_worker({"default"}, {"x", "linux", "gpu"})), 5).tasks),
                ElementsAre(gpu.id));
}

TEST_P(Claim, SeesARouteThatIsNewerThanTheWorker) {
    const Uuid worker = join(*store, a_worker({"default", "new"}, {"t"}));
    submit();
    claim_one(worker);
    auto task = a_task(clock.now());
    task.queue = "new";
    task.tags = {"t"};
    open()->submit({task});
    EXPECT_EQ(claim_one(worker).task, task.id);
}

TEST_P(Claim, FollowsTheQueuesAndTagsOfTheLatestRegistration) {
    auto registration = a_worker({"a"});
    join(*store, registration);
    auto task = a_task(clock.now());
    task.queue = "b";
    submit(task);
    EXPECT_THAT(claim(*store, registration.id, 1).tasks, IsEmpty());
    registration.queues = {"b"};
    store->register_worker(registration);
    EXPECT_EQ(claim_one(registration.id).task, task.id);
}

TEST_P(Claim, WaitsForRunAtAndTellsWhenTheNextTaskFallsDue) {
    auto soon = a_task(clock.now());
    soon.run_at = clock.now() + 10s;
    auto later = a_task(clock.now());
    later.run_at = clock.now() + 1h;
    auto not_mine = a_task(clock.now());
    not_mine.run_at = clock.now() + 1s;
    not_mine.queue = "other";
    submit(std::vector{later, soon, not_mine});
    const Uuid worker = join(*store);
    auto answer = claim(*store, worker, 5);
    EXPECT_THAT(answer.tasks, IsEmpty());
    EXPECT_EQ(answer.next_due, Duration(10s));
    clock.advance(4s);
    EXPECT_EQ(claim(*store, worker, 5).next_due, Duration(6s));
    clock.advance(6s);
    answer = claim(*store, worker, 5);
    EXPECT_THAT(ids_of(answer.tasks), ElementsAre(soon.id));
    EXPECT_EQ(answer.next_due, Duration(59min + 50s));
    clock.advance(1h);
    EXPECT_THAT(ids_of(claim(*store, worker, 5).tasks), ElementsAre(later.id));
    EXPECT_EQ(claim(*store, worker, 5).next_due, std::nullopt);
}

TEST_P(Claim, TakesTasksThatFallDueTogetherInTheirOrder) {
    std::vector<store::NewTask> batch = tasks(clock.now(), 40);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        batch[i].run_at = clock.now() + std::chrono::seconds(100 - i);
        batch[i].priority = static_cast<int>(1 + i % 3);
    }
    submit(batch);
    clock.advance(2min);
    std::sort(batch.begin(), batch.end(), [](const auto& x, const auto& y) {
        return std::tie(x.priority, x.run_at) < std::tie(y.priority, y.run_at);
    });
    EXPECT_EQ(ids_of(claim_fully(*store, join(*store), 100)), ids_of(batch));
}

TEST_P(Claim, LeavesTasksWhoseDeadlineHasPassed) {
    auto task = a_task(clock.now());
    task.deadline = clock.now() + 10s;
    submit(task);
    const auto other = submit();
    clock.advance(11s);
    const Uuid worker = join(*store);
    EXPECT_THAT(ids_of(claim(*store, worker, 5).tasks), ElementsAre(other));
    EXPECT_THAT(claim(*store, worker, 5).tasks, IsEmpty());
    EXPECT_EQ(state_of(*store, task.id), TaskState::Pending);
}

TEST_P(Claim, GivesATaskBeforeItsDeadline) {
    auto task = a_task(clock.now());
    task.deadline = clock.now() + 10s;
    submit(task);
    clock.advance(9s);
    EXPECT_EQ(claim_one(join(*store)).task, task.id);
}

TEST_P(Claim, PassesOverPausedQueues) {
    auto slow = a_task(clock.now());
    slow.queue = "slow";
    submit(slow);
    const auto other = submit();
    store->set_queue_paused("slow", true, "ann");
    const Uuid worker = join(*store, a_worker({"default", "slow"}));
    EXPECT_THAT(ids_of(claim(*store, worker, 5).tasks), ElementsAre(other));
    store->set_queue_paused("slow", false, "ann");
    EXPECT_EQ(claim_one(worker).task, slow.id);
}

TEST_P(Claim, CarriesTheHistoryAndCheckpointOfEarlierAttempts) {
    const auto id = submit(with_retries(a_task(clock.now()), 3));
    const Uuid worker = join(*store);
    const auto first = claim_one(worker);
    store->save_progress(worker, {{.lease = first, .fraction = 0.5, .text = "half", .checkpoint = R"({"row":7})"}});
    finish(*store, worker, failed(first));
    clock.advance(1h);
    const auto answer = claim(*store, worker, 1);
    ASSERT_THAT(ids_of(answer.tasks), ElementsAre(id));
    EXPECT_EQ(answer.tasks[0].history.attempts, 1);
    EXPECT_EQ(answer.tasks[0].checkpoint, R"({"row":7})");
}

}  // namespace
}  // namespace holdfast::contract
