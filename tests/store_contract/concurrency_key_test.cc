#include <functional>

#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class ConcurrencyKeys : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    Uuid submit_keyed(int limit = 1, int priority = 50) {
        return submit(with_priority(with_key(a_task(clock.now()), "k", limit), priority));
    }
    std::vector<Uuid> claimable() { return ids_of(claim(*store, worker, 10).tasks); }

    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(ConcurrencyKeys);

TEST_P(ConcurrencyKeys, LetAtMostTheirLimitRunAtOnce) {
    const auto first = submit_keyed(2);
    const auto second = submit_keyed(2);
    submit_keyed(2);
    EXPECT_THAT(claimable(), ElementsAre(first, second));
    EXPECT_THAT(claimable(), IsEmpty());
}

TEST_P(ConcurrencyKeys, DoNotHoldUpOtherTasks) {
    submit_keyed();
    claim_one(worker);
    submit(with_priority(with_key(a_task(clock.now()), "k"), 1));
    const auto other_key = submit(with_key(a_task(clock.now()), "other"));
    const auto plain = submit();
    EXPECT_THAT(claimable(), ElementsAre(other_key, plain));
}

TEST_P(ConcurrencyKeys, TellWhoWaits) {
    submit_keyed();
    claim_one(worker);
    const auto waiting = submit_keyed();
    EXPECT_THAT(claimable(), IsEmpty());
    EXPECT_EQ(record(*store, waiting).waits_for, store::WaitReason::Key);
    EXPECT_EQ(state_of(*store, waiting), TaskState::Pending);
}

TEST_P(ConcurrencyKeys, GiveAFreedSlotToTheNextInOrder) {
    submit_keyed();
    auto lease = claim_one(worker);
    const auto last = submit_keyed(1, 60);
    const auto middle = submit_keyed(1, 50);
    const auto next = submit_keyed(1, 40);
    EXPECT_THAT(claimable(), IsEmpty());
    for (const auto& expected : {next, middle, last}) {
        finish(*store, worker, completed(lease));
        lease = claim_one(worker);
        EXPECT_EQ(lease.task, expected);
        EXPECT_THAT(claimable(), IsEmpty());
    }
}

TEST_P(ConcurrencyKeys, AreHeldWhileTheirTaskWaitsForARetryByNobody) {
    const auto retried = submit(with_retries(with_key(a_task(clock.now()), "k"), 3));
    const auto other = submit_keyed();
    const auto lease = claim_one(worker);
    EXPECT_EQ(lease.task, retried);
    finish(*store, worker, failed(lease));
    EXPECT_THAT(claimable(), ElementsAre(other));
    clock.advance(1h);
    EXPECT_THAT(claimable(), IsEmpty());
}

/// Whatever ends a lease frees its slot in the same call.
struct SlotFreer {
    std::string name;
    std::function<void(store::Store&, const Uuid& worker, const store::TaskLease&)> free;
};

TEST_P(ConcurrencyKeys, AreFreedByEveryEndOfALease) {
    const std::vector<SlotFreer> freers = {
        {"finish", [](auto& s, auto& w, auto& lease) { finish(s, w, completed(lease)); }},
        {"failure", [](auto& s, auto& w, auto& lease) { finish(s, w, failed(lease)); }},
        {"recover", [](auto& s, auto&, auto& lease) { recover(s, crash_verdict(lease)); }},
        {"force", [](auto& s, auto&, auto& lease) { force(s, lease.task); }},
        {"cancel",
         [](auto& s, auto& w, auto& lease) {
             cancel(s, lease.task);
             finish(s, w, ended(lease, core::LeaseEnd::Cancelled));
         }},
    };
    for (const auto& freer : freers) {
        const std::string key = "key-" + freer.name;
        submit(with_key(a_task(clock.now()), key));
        const auto lease = claim_one(worker);
        const auto next = submit(with_key(a_task(clock.now()), key));
        const auto after = submit(with_key(a_task(clock.now()), key));
        EXPECT_THAT(claimable(), IsEmpty()) << freer.name;
        freer.free(*store, worker, lease);
        EXPECT_THAT(claimable(), ElementsAre(next)) << freer.name;
        EXPECT_EQ(record(*store, after).waits_for, store::WaitReason::Key) << freer.name;
    }
}

TEST_P(ConcurrencyKeys, DoNotStrandWaitersWhenTheOneCalledForwardIsCancelled) {
    submit_keyed();
    const auto lease = claim_one(worker);
    const auto next = submit_keyed();
    const auto after = submit_keyed();
    EXPECT_THAT(claimable(), IsEmpty());
    finish(*store, worker, completed(lease));
    cancel(*store, next);
    EXPECT_THAT(claimable(), ElementsAre(after));
}

TEST_P(ConcurrencyKeys, DoNotStrandWaitersWhenTheOneCalledForwardExpiresOrIsRejected) {
    submit_keyed();
    auto lease = claim_one(worker);
    auto brief = with_key(a_task(clock.now()), "k");
    brief.deadline = clock.now() + 10s;
    submit(brief);
    const auto rejected = submit_keyed();
    const auto after = submit_keyed();
    EXPECT_THAT(claimable(), IsEmpty());
    finish(*store, worker, completed(lease));
    clock.advance(11s);
    store->expire_overdue(10);
    store->reject({.tasks = {rejected}, .error = {"X", "x", ""}, .who = "sweeper"});
    EXPECT_THAT(claimable(), ElementsAre(after));
}

TEST_P(ConcurrencyKeys, DoNotStrandWaitersBehindAnOverdueOne) {
    submit_keyed();
    auto lease = claim_one(worker);
    auto brief = with_key(a_task(clock.now()), "k");
    brief.deadline = clock.now() + 10s;
    submit(brief);
    const auto after = submit_keyed();
    EXPECT_THAT(claimable(), IsEmpty());
    clock.advance(11s);
    finish(*store, worker, completed(lease));
    std::vector<Uuid> got = claimable();
    if (got.empty()) got = claimable();
    EXPECT_THAT(got, ElementsAre(after));
}

TEST_P(ConcurrencyKeys, PassFromAnOverdueTaskToTheNextInOrderNotToALatecomer) {
    submit_keyed();
    const auto lease = claim_one(worker);
    auto brief = with_priority(with_key(a_task(clock.now()), "k"), 10);
    brief.deadline = clock.now() + 10s;
    submit(brief);
    const auto next = submit_keyed(1, 20);
    EXPECT_THAT(claimable(), IsEmpty());
    finish(*store, worker, completed(lease));  // calls the brief one forward
    const auto plain = submit(with_priority(a_task(clock.now()), 25));
    const auto latecomer = submit_keyed(1, 30);
    clock.advance(11s);
    EXPECT_THAT(claimable(), ElementsAre(next, plain));
    EXPECT_EQ(record(*store, brief.id).waits_for, store::WaitReason::Overdue);
    EXPECT_EQ(record(*store, latecomer).waits_for, store::WaitReason::Key);
}

TEST_P(ConcurrencyKeys, OfAWorkerThatCannotRunTheNextTaskStillServeTheOthers) {
    auto elsewhere = with_key(a_task(clock.now()), "k");
    elsewhere.queue = "other";
    store->declare_key({.key = "k", .queue = "", .limit = 1}, "operator");
    submit_keyed();
    const auto lease = claim_one(worker);
    submit(elsewhere);
    const auto mine = submit_keyed();
    EXPECT_THAT(claimable(), IsEmpty());
    finish(*store, worker, completed(lease));
    const Uuid other = join(*store, a_worker({"other"}));
    // Only one slot is free: either worker may get it, and after it the other one must.
    auto first = claim(*store, worker, 10).tasks;
    auto second = claim(*store, other, 10).tasks;
    ASSERT_EQ(first.size() + second.size(), 1U);
    const bool mine_first = !first.empty();
    const auto held = lease_of(mine_first ? first[0] : second[0]);
    finish(*store, mine_first ? worker : other, completed(held));
    const auto rest = ids_of(claim(*store, mine_first ? other : worker, 10).tasks);
    EXPECT_THAT(rest, ElementsAre(mine_first ? elsewhere.id : mine));
}

TEST_P(ConcurrencyKeys, AreKeptByTheDatabaseItself) {
    submit_keyed();
    const auto lease = claim_one(worker);
    const auto raw = database->raw();
    EXPECT_EQ(raw->number("SELECT count(*) FROM slot"), 1);
    EXPECT_THROW(raw->execute("INSERT INTO slot (key, queue, slot, task_id) SELECT key, queue, slot, " +
                              raw->literal(new_task_id(clock.now())) + " FROM slot"),
                 SqlRefused);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(raw->number("SELECT count(*) FROM slot"), 0);
}

}  // namespace
}  // namespace holdfast::contract
