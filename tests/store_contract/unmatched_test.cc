#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// Which tasks could be failed because no worker can run them.
class UnmatchedTasks : public StoreContract {
protected:
    [[nodiscard]] store::NewTask failing() const {
        auto task = a_task(clock.now());
        task.policy.unmatched = Unmatched::Fail;
        return task;
    }
    std::vector<Uuid> found(Duration waited = 0s, std::size_t limit = 10) {
        const auto backlog = store->backlog();
        if (backlog.empty()) return {};
        return store->unmatched_tasks({.route = backlog.at(0).route, .waited = waited, .limit = limit});
    }
};
HOLDFAST_FOR_EVERY_STORE(UnmatchedTasks);

TEST_P(UnmatchedTasks, AreThoseThatSaySoOldestFirst) {
    std::vector<Uuid> ids;
    for (int i = 0; i < 4; ++i) {
        ids.push_back(submit(with_priority(failing(), 90 - i)));
        submit(with_priority(a_task(clock.now()), 1));
        clock.advance(1s);
    }
    EXPECT_THAT(found(0s, 3), ElementsAre(ids[0], ids[1], ids[2]));
    EXPECT_THAT(found(0s, 10), ElementsAreArray(ids));
}

TEST_P(UnmatchedTasks, AreOfOneRoute) {
    submit(failing());
    const auto route = store->backlog().at(0).route;
    auto other = failing();
    other.tags = {"gpu"};
    submit(other);
    EXPECT_THAT(store->unmatched_tasks({.route = route}), SizeIs(1));
    EXPECT_THAT(store->unmatched_tasks({.route = route + 1000}), IsEmpty());
}

TEST_P(UnmatchedTasks, HaveWaitedLongEnough) {
    const auto old = submit(failing());
    clock.advance(30s);
    submit(failing());
    EXPECT_THAT(found(30s + 1us), IsEmpty());
    EXPECT_THAT(found(30s), ElementsAre(old));
}

TEST_P(UnmatchedTasks, CountFromTheTimeTheyWereSubmittedFor) {
    auto later = failing();
    later.run_at = clock.now() + 10s;
    submit(later);
    EXPECT_THAT(found(), IsEmpty());
    clock.advance(15s);
    EXPECT_THAT(found(6s), IsEmpty());
    EXPECT_THAT(found(5s), ElementsAre(later.id));
}

TEST_P(UnmatchedTasks, AreNotThoseThatAWorkerHolds) {
    submit(failing());
    submit(failing());
    const auto worker = join(*store);
    const auto claimed = claim(*store, worker, 1, 1);
    EXPECT_THAT(claimed.tasks, SizeIs(2));
    EXPECT_THAT(found(), IsEmpty());
}

TEST_P(UnmatchedTasks, AreFoundAgainWhenTheirLeaseIsHandedBack) {
    const auto id = submit(failing());
    const auto worker = join(*store);
    const auto lease = hold_one(worker);
    store->turn({.worker = worker, .hand_back = {lease}});
    EXPECT_THAT(found(), ElementsAre(id));
}

TEST_P(UnmatchedTasks, InBackoffAreNotFoundBeforeItHasPassed) {
    auto task = with_retries(failing(), 3);
    task.policy.retry.delays = {10s};
    submit(task);
    const auto worker = join(*store);
    finish(*store, worker, failed(claim_one(worker)));
    EXPECT_THAT(found(), IsEmpty());
    clock.advance(40s);
    EXPECT_THAT(found(31s), IsEmpty());
    EXPECT_THAT(found(30s), ElementsAre(task.id));
    claim(*store, worker, 0, 1);  // moves it into reach, and takes it
    EXPECT_THAT(found(), IsEmpty());
}

TEST_P(UnmatchedTasks, AreNotThoseBehindAFullKeyUntilItIsFree) {
    submit(with_key(a_task(clock.now()), "k"));
    const auto worker = join(*store);
    const auto holds_key = claim_one(worker);
    const auto behind = submit(with_key(failing(), "k"));
    EXPECT_THAT(claim(*store, worker, 1).tasks, IsEmpty());
    EXPECT_THAT(found(), IsEmpty());
    finish(*store, worker, completed(holds_key));
    EXPECT_THAT(found(), ElementsAre(behind));
}

TEST_P(UnmatchedTasks, AreFoundAmongAHundredThousandThatWait) {
    for (int batch = 0; batch < 20; ++batch) submit(tasks(clock.now(), 5000));
    const auto route = store->backlog().at(0).route;
    const auto timed = [&] {
        std::vector<Uuid> answer;
        std::chrono::duration<double, std::milli> best = 1h;
        for (int tries = 0; tries < 5; ++tries) {
            const auto begin = std::chrono::steady_clock::now();
            answer = store->unmatched_tasks({.route = route});
            best = std::min<decltype(best)>(best, std::chrono::steady_clock::now() - begin);
        }
        std::printf("%zu found among 100,000 in %.1f ms at best\n", answer.size(), best.count());
        EXPECT_LT(best, 500ms);
        return answer;
    };
    EXPECT_THAT(timed(), IsEmpty());
    clock.advance(1s);
    const auto last = submit(failing());
    EXPECT_THAT(timed(), ElementsAre(last));
}

}  // namespace
}  // namespace holdfast::contract
