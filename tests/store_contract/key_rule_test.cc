#include <latch>
#include <thread>

#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::DeclareStatus;

/// Whose limit counts for a concurrency key, and who may change it.
class KeyRule : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store, a_worker({"a", "b", "default"}));
    }
    [[nodiscard]] store::NewTask keyed(const std::string& queue, int limit = 1, const std::string& key = "db") const {
        auto task = with_key(a_task(clock.now()), key, limit);
        task.queue = queue;
        return task;
    }
    /// Submits a task, and says which limit it is told.
    int told(const store::NewTask& task) {
        const auto outcome = store->submit({task}).at(0);
        EXPECT_TRUE(outcome.status == SubmitStatus::Accepted || outcome.status == SubmitStatus::Existing);
        return outcome.concurrency_limit.value_or(0);
    }
    int told(const std::string& queue, int limit) { return told(keyed(queue, limit)); }
    /// How many of ten tasks more would be claimed; those that are stay claimed.
    std::size_t claimed() { return claim_fully(*store, worker, 10).size(); }
    DeclareStatus declare(const std::string& queue, int limit) {
        return store->declare_key({.key = "db", .queue = queue, .limit = limit}, "operator");
    }
    void finish_all() {
        while (true) {
            for (const auto& lease : held_leases()) finish(*store, worker, completed(lease.lease));
            if (claimed() == 0) return;
        }
    }
    [[nodiscard]] std::optional<store::KeyRecord> found(const std::string& queue,
                                                        const std::string& key = "db") const {
        for (const auto& record : store->keys({.key = key}))
            if (record.key.key == key && record.key.queue == queue) return record;
        return std::nullopt;
    }
    [[nodiscard]] std::vector<store::LeaseRecord> held_leases() const {
        return store->leases({.worker = worker, .after = {}});
    }
    void cancel_all(const std::string& queue) {
        store::ListParams params;
        params.filter.queue = queue;
        params.limit = 1000;
        for (const auto& task : store->list(params)) cancel(*store, task.task.id);
    }
    void prune() {
        store::PruneParams params;
        params.terminal_older_than = 1000h;
        params.clock_is_right = true;
        (void)store->prune(params);
    }

    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(KeyRule);

// ---- Undeclared keys --------------------------------------------------------------------------

TEST_P(KeyRule, AKeyBelongsToTheQueueOfItsTask) {
    submit(keyed("a"));
    submit(keyed("b"));
    EXPECT_EQ(claimed(), 2U);
    submit(keyed("a"));
    EXPECT_EQ(claimed(), 0U);
}

TEST_P(KeyRule, ASubmitToOneQueueLeavesTheLimitOfAnother) {
    EXPECT_EQ(told("a", 1), 1);
    EXPECT_EQ(told("b", 9), 9);
    EXPECT_EQ(told("b", 2), 2);
    EXPECT_EQ(found("a")->key.limit, 1);
    EXPECT_EQ(found("b")->key.limit, 2);
    EXPECT_EQ(told("a", 5), 1);
}

TEST_P(KeyRule, AFreedSlotCallsForwardOnlyTasksOfItsQueue) {
    submit(keyed("a"));
    submit(keyed("b"));
    const auto leases = leases_of(claim_fully(*store, worker, 10));
    ASSERT_THAT(leases, SizeIs(2));
    const auto of_a = submit(keyed("a"));
    const auto of_b = submit(keyed("b"));
    EXPECT_EQ(claimed(), 0U);
    const bool first_is_a = record(*store, leases[0].task).task.queue == "a";
    finish(*store, worker, completed(leases[first_is_a ? 0 : 1]));
    EXPECT_EQ(record(*store, of_a).waits_for, store::WaitReason::None);
    EXPECT_EQ(record(*store, of_b).waits_for, store::WaitReason::Key);
}

TEST_P(KeyRule, LaterSubmitsLowerTheLimitOfAKeyInUseAndDoNotRaiseIt) {
    EXPECT_EQ(told("a", 3), 3);
    EXPECT_EQ(told("a", 5), 3);
    EXPECT_EQ(told("a", 2), 2);
    EXPECT_EQ(told("a", 3), 2);
    EXPECT_EQ(claimed(), 2U);
}

TEST_P(KeyRule, ALimitBelowTheNumberInUseLetsThemFinishAndNobodyElseStart) {
    for (int i = 0; i < 5; ++i) submit(keyed("a", 3));
    ASSERT_EQ(claimed(), 3U);
    EXPECT_EQ(told("a", 1), 1);
    EXPECT_EQ(claimed(), 0U);
    auto leases = held_leases();
    ASSERT_THAT(leases, SizeIs(3));
    finish(*store, worker, completed(leases[0].lease));
    finish(*store, worker, completed(leases[1].lease));
    EXPECT_EQ(claimed(), 0U);
    finish(*store, worker, completed(leases[2].lease));
    EXPECT_EQ(claimed(), 1U);
    EXPECT_EQ(claimed(), 0U);
}

/// Wherever a task is before its end, it keeps the limit from being raised.
TEST_P(KeyRule, ATaskInAnyPlaceUsesItsKey) {
    const auto later = [&] {
        auto task = keyed("a", 1, "later");
        task.run_at = clock.now() + 1h;
        return task;
    }();
    const auto overdue = [&] {
        auto task = keyed("a", 1, "overdue");
        task.deadline = clock.now() + 1s;
        return task;
    }();
    submit(overdue);
    clock.advance(2s);
    EXPECT_EQ(claimed(), 0U);
    ASSERT_EQ(record(*store, overdue.id).waits_for, store::WaitReason::Overdue);
    submit(later);
    submit(keyed("a", 1, "leased"));
    ASSERT_EQ(claimed(), 1U);
    submit(keyed("a", 1, "ready"));
    for (const char* key : {"later", "overdue", "leased", "ready"}) {
        prune();
        EXPECT_EQ(told(keyed("a", 7, key)), 1) << key;
    }
}

TEST_P(KeyRule, ATaskThatWaitsForItsRetryUsesItsKey) {
    submit(with_retries(keyed("a", 1), 3));
    finish(*store, worker, failed(claim_one(worker)));
    prune();
    EXPECT_EQ(told("a", 7), 1);
}

TEST_P(KeyRule, AKeyOutOfUseTakesTheLimitOfTheNextSubmit) {
    submit(keyed("a", 1));
    finish_all();
    EXPECT_EQ(told("a", 4), 4);
    for (int i = 0; i < 5; ++i) submit(keyed("a", 4));
    EXPECT_EQ(claimed(), 4U);
}

TEST_P(KeyRule, TasksOfOtherQueuesDoNotKeepAKeyInUse) {
    submit(keyed("b", 1));
    submit(keyed("a", 1));
    cancel_all("a");
    EXPECT_EQ(told("a", 4), 4);
    EXPECT_EQ(found("b")->key.limit, 1);
}

TEST_P(KeyRule, OfOneBatchTheLowestLimitCountsAndAllAreToldTheLast) {
    const auto outcomes = store->submit({keyed("a", 5), keyed("b", 6), keyed("a", 2), keyed("a", 9)});
    EXPECT_EQ(outcomes[0].concurrency_limit, 2);
    EXPECT_EQ(outcomes[1].concurrency_limit, 6);
    EXPECT_EQ(outcomes[2].concurrency_limit, 2);
    EXPECT_EQ(outcomes[3].concurrency_limit, 2);
    EXPECT_EQ(found("a")->key.limit, 2);
}

TEST_P(KeyRule, ATaskWithoutAKeyIsToldNoLimit) {
    EXPECT_FALSE(store->submit({a_task(clock.now())}).at(0).concurrency_limit);
    auto refused = keyed("a");
    refused.priority = 0;
    EXPECT_FALSE(store->submit({refused}).at(0).concurrency_limit);
}

TEST_P(KeyRule, TheLimitIsNoPartOfTheComparedPayload) {
    auto task = keyed("a", 3);
    EXPECT_EQ(told(task), 3);
    submit(keyed("a", 2));
    task.concurrency->limit = 8;
    const auto again = store->submit({task}).at(0);
    EXPECT_EQ(again.status, SubmitStatus::Existing);
    EXPECT_EQ(again.concurrency_limit, 2);
    EXPECT_EQ(found("a")->key.limit, 2);
    task.concurrency->key = "other";
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::PayloadMismatch);
    EXPECT_FALSE(store->submit({task}).at(0).concurrency_limit);
}

TEST_P(KeyRule, ARepeatedSubmitOfAnEndedTaskDoesNotBringItsKeyBack) {
    const auto task = keyed("a", 3);
    submit(task);
    finish_all();
    prune();
    EXPECT_EQ(told(task), 3);
    EXPECT_FALSE(found("a"));
}

TEST_P(KeyRule, KeysOutOfUseAreForgotten) {
    for (int i = 0; i < 50; ++i) submit(keyed("a", 1, "made-up-" + std::to_string(i)));
    const auto kept = submit(keyed("b", 1, "made-up-1"));
    declare("a", 2);
    cancel_all("a");
    prune();
    const auto raw = database->raw();
    EXPECT_EQ(raw->number("SELECT count(*) FROM concurrency"), 2);
    EXPECT_TRUE(found("a"));
    EXPECT_TRUE(found("b", "made-up-1"));
    EXPECT_EQ(state_of(*store, kept), TaskState::Pending);
}

TEST_P(KeyRule, TwoSubmitsAtOnceWithDifferentLimitsLeaveTheLower) {
    for (int round = 0; round < 25; ++round) {
        const std::string key = "race-" + std::to_string(round);
        std::latch both(2);
        std::vector<std::jthread> callers;
        for (const int limit : {2, 5})
            callers.emplace_back([&, limit] {
                const auto own = open();
                const auto task = keyed("a", limit, key);
                both.arrive_and_wait();
                EXPECT_EQ(own->submit({task}).at(0).status, SubmitStatus::Accepted);
            });
        callers.clear();
        EXPECT_EQ(found("a", key)->key.limit, 2) << key;
    }
}

// ---- Declared keys ----------------------------------------------------------------------------

TEST_P(KeyRule, ADeclaredLimitIsFixedAndSubmitsAreToldIt) {
    EXPECT_EQ(declare("a", 2), DeclareStatus::New);
    EXPECT_EQ(told("a", 9), 2);
    EXPECT_EQ(told("a", 1), 2);
    EXPECT_EQ(told("a", 2), 2);
    EXPECT_EQ(claimed(), 2U);
    EXPECT_EQ(told("b", 9), 9);
}

TEST_P(KeyRule, ADeclarationSaysWhatItWasBefore) {
    EXPECT_EQ(declare("a", 2), DeclareStatus::New);
    EXPECT_EQ(declare("a", 2), DeclareStatus::Unchanged);
    EXPECT_EQ(declare("a", 3), DeclareStatus::Changed);
    EXPECT_EQ(declare("", 3), DeclareStatus::New);
    EXPECT_EQ(declare("", 3), DeclareStatus::Unchanged);
    EXPECT_EQ(declare("", 1), DeclareStatus::Changed);
}

TEST_P(KeyRule, RaisingADeclaredLimitLetsWaitingTasksInAtOnce) {
    declare("a", 1);
    for (int i = 0; i < 4; ++i) submit(keyed("a"));
    ASSERT_EQ(claimed(), 1U);
    declare("a", 3);
    EXPECT_EQ(claimed(), 2U);
}

TEST_P(KeyRule, LoweringADeclaredLimitLetsRunningTasksFinish) {
    declare("a", 2);
    for (int i = 0; i < 4; ++i) submit(keyed("a"));
    ASSERT_EQ(claimed(), 2U);
    declare("a", 1);
    const auto leases = held_leases();
    finish(*store, worker, completed(leases.at(0).lease));
    EXPECT_EQ(claimed(), 0U);
    finish(*store, worker, completed(leases.at(1).lease));
    EXPECT_EQ(claimed(), 1U);
}

TEST_P(KeyRule, DeclaringAKeyInUseTakesEffectAtOnce) {
    for (int i = 0; i < 4; ++i) submit(keyed("a"));
    ASSERT_EQ(claimed(), 1U);
    EXPECT_EQ(declare("a", 2), DeclareStatus::New);
    EXPECT_EQ(claimed(), 1U);
    EXPECT_EQ(told("a", 1), 2);
}

TEST_P(KeyRule, ARemovedDeclarationLeavesItsLimitToTheSubmits) {
    declare("a", 2);
    for (int i = 0; i < 4; ++i) submit(keyed("a", 1));
    ASSERT_TRUE(store->remove_key("db", "a", "operator"));
    EXPECT_EQ(claimed(), 2U);
    EXPECT_EQ(told("a", 9), 2);
    EXPECT_EQ(told("a", 1), 1);
    EXPECT_FALSE(store->remove_key("db", "a", "operator"));
    EXPECT_FALSE(store->remove_key("db", "b", "operator"));
    EXPECT_FALSE(store->remove_key("db", "", "operator"));
    finish_all();
    EXPECT_EQ(told("a", 9), 9);
}

TEST_P(KeyRule, WhatCannotBeAKeyIsRefused) {
    EXPECT_THROW(store->declare_key({.key = "", .queue = "a", .limit = 1}, "x"), BadInput);
    EXPECT_THROW(store->declare_key({.key = "k", .queue = "a", .limit = 0}, "x"), BadInput);
    EXPECT_THROW(store->declare_key({.key = "k", .queue = "a", .limit = 10'001}, "x"), BadInput);
    EXPECT_THROW(store->declare_key({.key = "k", .queue = std::string(256, 'q'), .limit = 1}, "x"), BadInput);
    EXPECT_THROW(store->declare_key({.key = std::string("a\0b", 3), .queue = "a", .limit = 1}, "x"), BadInput);
    EXPECT_THROW(store->remove_key("\xff", "", "x"), BadInput);
    EXPECT_THROW(store->remove_key("k", "\xff", "x"), BadInput);
    EXPECT_THAT(store->keys({}), IsEmpty());
}

TEST_P(KeyRule, DeclarationsLeaveEvents) {
    declare("", 2);
    declare("", 2);
    store->remove_key("db", "", "operator");
    const auto events = store->last_events(10);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[0].kind, "key_removed");
    EXPECT_EQ(events[1].kind, "key_declared");
    EXPECT_EQ(events[1].who, "operator");
    EXPECT_THAT(events[1].message, HasSubstr("db"));
}

// ---- Shared keys ------------------------------------------------------------------------------

TEST_P(KeyRule, ASharedKeyCountsTheTasksOfAllQueues) {
    declare("", 2);
    submit({keyed("a"), keyed("a"), keyed("b"), keyed("b")});
    EXPECT_EQ(claimed(), 2U);
    EXPECT_EQ(found("")->held, 2);
    EXPECT_EQ(found("")->waiting, 2);
    finish_all();
    EXPECT_EQ(store->count().completed, 4);
}

TEST_P(KeyRule, AFreedSlotOfASharedKeyCallsForwardTasksOfAnyQueue) {
    declare("", 1);
    submit(keyed("a"));
    const auto lease = claim_one(worker);
    const auto next = submit(keyed("b"));
    EXPECT_EQ(claimed(), 0U);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(claim_one(worker).task, next);
}

TEST_P(KeyRule, SharingAKeyInUseCountsWhatRunsAlready) {
    submit({keyed("a"), keyed("a"), keyed("b"), keyed("b")});
    ASSERT_EQ(claimed(), 2U);
    declare("", 1);
    const auto leases = held_leases();
    finish(*store, worker, completed(leases.at(0).lease));
    EXPECT_EQ(claimed(), 0U);
    finish(*store, worker, completed(leases.at(1).lease));
    EXPECT_EQ(claimed(), 1U);
    finish_all();
    EXPECT_EQ(store->count().completed, 4);
}

TEST_P(KeyRule, SharingAKeyWithRoomCallsWaitingTasksForward) {
    submit({keyed("a"), keyed("a"), keyed("b")});
    ASSERT_EQ(claimed(), 2U);
    declare("", 3);
    EXPECT_EQ(claimed(), 1U);
}

TEST_P(KeyRule, ASharedKeyReplacesTheDeclarationsOfQueues) {
    declare("a", 5);
    declare("", 1);
    EXPECT_EQ(told("a", 5), 1);
    EXPECT_FALSE(found("a"));
    EXPECT_EQ(declare("a", 4), DeclareStatus::IsShared);
    EXPECT_EQ(told("a", 4), 1);
}

TEST_P(KeyRule, AKeyThatIsNotSharedAnyMoreKeepsItsLimitInEachQueue) {
    declare("", 2);
    submit({keyed("a"), keyed("a"), keyed("a"), keyed("b"), keyed("b"), keyed("b")});
    ASSERT_EQ(claimed(), 2U);
    ASSERT_TRUE(store->remove_key("db", "", "operator"));
    EXPECT_EQ(claimed(), 2U) << "two of each queue";
    EXPECT_EQ(found("a")->key.limit, 2);
    EXPECT_FALSE(found("a")->declared);
    EXPECT_EQ(told("b", 7), 2);
    EXPECT_EQ(told("b", 1), 1);
    EXPECT_EQ(found("a")->key.limit, 2);
    finish_all();
    EXPECT_EQ(store->count().completed, 8);
}

TEST_P(KeyRule, TheListHasDeclaredKeysFirstAndEndsAtItsLimit) {
    submit(keyed("b", 3, "c"));
    submit(keyed("a", 3, "c"));
    store->declare_key({.key = "z", .queue = "", .limit = 4}, "operator");
    store->declare_key({.key = "d", .queue = "a", .limit = 5}, "operator");
    std::vector<std::string> names;
    for (const auto& record : store->keys({.key = "", .limit = 3}))
        names.push_back(record.key.key + "/" + record.key.queue);
    EXPECT_THAT(names, ElementsAre("d/a", "z/", "c/a"));
}

}  // namespace
}  // namespace holdfast::contract
