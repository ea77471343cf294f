#include <semaphore>
#include <thread>

#include "store_contract/latencies.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Topic;

/// So much shorter than the safety poll that a wake-up that was lost shows as false.
constexpr auto patience = 60s;

class WakeUps : public StoreContract {
protected:
    void SetUp() override {
        database = make_database(GetParam());
        store = open();
    }
    [[nodiscard]] std::unique_ptr<store::Store> open() const {
        return open_store({.kind = GetParam(), .address = database->address(), .safety_poll = 1h}, clock);
    }
    /// Waits until nothing more is under way, so that the next news is the test's own.
    static void settle(store::Watch& watch) {
        while (watch.wait(100ms)) {
        }
    }
    static bool hears(store::Watch& watch) { return watch.wait(patience); }
};
HOLDFAST_FOR_EVERY_STORE(WakeUps);

TEST_P(WakeUps, ComeWithASubmitOfAnotherStore) {
    const auto watch = store->watch(Topic::Work);
    settle(*watch);
    const auto other = open();
    other->submit({a_task(clock.now())});
    EXPECT_TRUE(hears(*watch));
}

TEST_P(WakeUps, ComeWithASubmitOfTheSameStore) {
    const auto watch = store->watch(Topic::Work);
    settle(*watch);
    submit();
    EXPECT_TRUE(hears(*watch));
}

TEST_P(WakeUps, ThatCameBeforeTheWaitAreNotMissed) {
    const auto watch = store->watch(Topic::Work);
    open()->submit({a_task(clock.now())});
    EXPECT_TRUE(hears(*watch));
}

TEST_P(WakeUps, ComeFromTheCallersOwnWake) {
    const auto watch = store->watch(Topic::Done);
    settle(*watch);
    std::thread waker([&] { watch->wake(); });
    EXPECT_TRUE(hears(*watch));
    waker.join();
}

TEST_P(WakeUps, OfOneTopicDoNotDisturbTheOther) {
    const Uuid worker = join(*store);
    submit();
    const auto lease = claim_one(worker);
    const auto work = store->watch(Topic::Work);
    const auto done = store->watch(Topic::Done);
    settle(*work);
    settle(*done);
    finish(*store, worker, completed(lease));
    EXPECT_TRUE(hears(*done));
    EXPECT_FALSE(work->wait(150ms));
    settle(*work);
    settle(*done);
    submit();
    EXPECT_TRUE(hears(*work));
    EXPECT_FALSE(done->wait(150ms));
}

TEST_P(WakeUps, TellWorkersOfEverythingThatMakesTasksClaimable) {
    const Uuid worker = join(*store);
    submit(with_key(a_task(clock.now()), "k"));
    const auto holder = claim_one(worker);
    submit(with_key(a_task(clock.now()), "k"));
    claim(*store, worker, 1);
    const auto watch = store->watch(Topic::Work);
    settle(*watch);
    finish(*store, worker, completed(holder));
    EXPECT_TRUE(hears(*watch)) << "a freed key";
    settle(*watch);
    claim(*store, worker, 1);
    submit();
    const auto held = hold_one(worker);
    settle(*watch);
    store->turn({.worker = worker, .hand_back = {held}});
    EXPECT_TRUE(hears(*watch)) << "a task handed back";
    settle(*watch);
    store->set_queue_paused("default", true, "ann");
    settle(*watch);
    store->set_queue_paused("default", false, "ann");
    EXPECT_TRUE(hears(*watch)) << "a queue resumed";
}

TEST_P(WakeUps, TellWorkersOfEveryOrderAndOfNothingElse) {
    const Uuid worker = join(*store);
    const auto ids = submit(tasks(clock.now(), 3));
    const auto first = claim_one(worker), second = claim_one(worker), third = claim_one(worker);
    const auto other = open();
    const auto watch = other->watch(Topic::Orders);
    settle(*watch);
    submit();
    finish(*store, worker, completed(claim_one(worker)));
    EXPECT_FALSE(watch->wait(150ms)) << "a task came and went";
    cancel(*store, first.task);
    EXPECT_TRUE(hears(*watch)) << "cancel";
    settle(*watch);
    store->ask_to_stop({.requests = {{second, store::StopReason::Timeout}}, .who = "test", .reason = "late"});
    EXPECT_TRUE(hears(*watch)) << "a stop that a sweeper asks for";
    settle(*watch);
    force(*store, third.task);
    EXPECT_TRUE(hears(*watch)) << "force";
    settle(*watch);
    for (const auto order : {store::WorkerOrder::Drain, store::WorkerOrder::Cordon, store::WorkerOrder::Uncordon}) {
        store->order_worker({.worker = worker, .order = order, .who = "ann"});
        EXPECT_TRUE(hears(*watch)) << "an order to the worker itself";
        settle(*watch);
    }
}

/// Beats are their safety poll: an answer that nobody rang for would cost every worker a beat.
TEST_P(WakeUps, OfOrdersDoNotComeByThemselves) {
    const auto polling = open_store({.kind = GetParam(), .address = database->address(), .safety_poll = 10ms}, clock);
    const auto work = polling->watch(Topic::Work);
    const auto orders = polling->watch(Topic::Orders);
    settle(*orders);
    EXPECT_TRUE(hears(*work)) << "the safety poll";
    EXPECT_FALSE(orders->wait(150ms));
}

TEST_P(WakeUps, TellWaitersOfEveryEndOfATask) {
    const Uuid worker = join(*store);
    const auto ids = submit(tasks(clock.now(), 3));
    const auto running = claim_one(worker);
    const auto other = open();
    const auto watch = other->watch(Topic::Done);
    settle(*watch);
    cancel(*store, ids[1]);
    EXPECT_TRUE(hears(*watch)) << "cancel";
    settle(*watch);
    force(*store, ids[2]);
    EXPECT_TRUE(hears(*watch)) << "force";
    settle(*watch);
    recover(*store, crash_verdict(running));
    EXPECT_TRUE(hears(*watch)) << "recover";
}

/// Rings, and rings again when the listener has found what it was rung for. The listener does as every user of a
/// watch does: look at the store, and wait when there is nothing.
TEST_P(WakeUps, AreNeverLostInThousandsOfRounds) {
    // PostgreSQL groups its notifications for some milliseconds, which makes each round that much longer.
    const std::size_t rings = GetParam() == StoreKind::Sqlite ? 10'000 : 2'000;
    const auto batch = tasks(clock.now(), rings);
    const auto ringer = open();
    const auto watch = store->watch(Topic::Work);
    std::counting_semaphore<> answered(0);
    Latencies latencies;
    int lost = 0;

    std::thread listener([&] {
        for (const auto& task : batch) {
            const auto begin = std::chrono::steady_clock::now();
            bool news = true;
            while (!store->find({task.id}).at(0)) news = watch->wait(patience);
            latencies.add(std::chrono::steady_clock::now() - begin);
            if (!news) ++lost;
            answered.release();
        }
    });
    for (const auto& task : batch) {
        ringer->submit({task});
        answered.acquire();
    }
    listener.join();
    latencies.print("wake-up");
    EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace holdfast::contract
