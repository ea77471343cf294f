#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class Queues : public StoreContract {
protected:
    store::QueueRecord queue(const std::string& name) {
        for (const auto& one : store->queues()) {
            if (one.name == name) return one;
        }
        ADD_FAILURE() << "no queue " << name;
        return {};
    }
    store::NewTask task_for(const std::string& name, std::vector<std::string> tags = {}) const {
        auto task = a_task(clock.now());
        task.queue = name;
        task.tags = std::move(tags);
        return task;
    }
};
HOLDFAST_FOR_EVERY_STORE(Queues);

TEST_P(Queues, AreListedByNameWithWhatTheyHold) {
    submit(std::vector{task_for("b"), task_for("a"), task_for("a", {"t"}), task_for("a")});
    auto later = task_for("a");
    later.run_at = clock.now() + 1h;
    submit(later);
    claim(*store, join(*store, a_worker({"a"})), 1, 1);
    const auto found = store->queues();
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].name, "a");
    EXPECT_EQ(found[0].pending, 2);
    EXPECT_EQ(found[0].in_flight, 2);
    EXPECT_FALSE(found[0].paused);
    EXPECT_EQ(found[1].name, "b");
    EXPECT_EQ(found[1].pending, 1);
}

TEST_P(Queues, WithoutANameCannotBePaused) {
    EXPECT_THROW(store->set_queue_paused("", true, "ann"), BadInput);
    EXPECT_THROW(store->set_queue_paused(std::string(256, 'q'), true, "ann"), BadInput);
    EXPECT_THAT(store->queues(), IsEmpty());
}

TEST_P(Queues, CanBePausedAndResumed) {
    submit(task_for("a"));
    store->set_queue_paused("a", true, "ann");
    EXPECT_TRUE(queue("a").paused);
    store->set_queue_paused("a", true, "ann");
    store->set_queue_paused("a", false, "bob");
    EXPECT_FALSE(queue("a").paused);
}

TEST_P(Queues, CanBePausedBeforeTheirFirstTask) {
    store->set_queue_paused("new", true, "ann");
    submit(task_for("new"));
    EXPECT_THAT(claim(*store, join(*store, a_worker({"new"})), 1).tasks, IsEmpty());
    EXPECT_TRUE(queue("new").paused);
}

TEST_P(Queues, PausingIsAnEventThatSaysWho) {
    store->set_queue_paused("a", true, "ann");
    const auto events = store->events({.task = {}, .worker = {}, .after_id = 0, .limit = 10});
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].kind, "queue_paused");
    EXPECT_EQ(events[0].who, "ann");
    EXPECT_THAT(events[0].message, HasSubstr("a"));
}

TEST_P(Queues, PausingLetsWhatIsRunningFinish) {
    submit(task_for("a"));
    const Uuid worker = join(*store, a_worker({"a"}));
    const auto lease = claim_one(worker);
    store->set_queue_paused("a", true, "ann");
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, store::Fenced::Applied);
}

TEST_P(Queues, BacklogShowsEveryRouteWithClaimableTasks) {
    const auto oldest = submit(task_for("a", {"y", "x"}));
    clock.advance(30s);
    submit(task_for("a", {"x", "y"}));
    submit(task_for("b"));
    auto later = task_for("c");
    later.run_at = clock.now() + 1h;
    submit(later);
    store->set_queue_paused("b", true, "ann");
    clock.advance(10s);
    auto found = store->backlog();
    std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.queue < y.queue; });
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].queue, "a");
    EXPECT_THAT(found[0].tags, ElementsAre("x", "y"));
    EXPECT_EQ(found[0].ready, 2);
    EXPECT_EQ(found[0].oldest, oldest);
    EXPECT_EQ(found[0].oldest_waits, Duration(40s));
    EXPECT_FALSE(found[0].paused);
    EXPECT_EQ(found[1].queue, "b");
    EXPECT_TRUE(found[1].paused);
}

TEST_P(Queues, BacklogIsEmptyOnceEverythingIsClaimed) {
    submit();
    claim_one(join(*store));
    EXPECT_THAT(store->backlog(), IsEmpty());
}

TEST_P(Queues, BacklogCountsTasksThatHaveFallenDueUnseen) {
    auto later = task_for("a");
    later.run_at = clock.now() + 10s;
    submit(later);
    EXPECT_THAT(store->backlog(), IsEmpty());
    clock.advance(15s);
    const auto found = store->backlog();
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].ready, 1);
    EXPECT_EQ(found[0].oldest_waits, Duration(5s));
    EXPECT_EQ(found[0].oldest, later.id);
}

}  // namespace
}  // namespace holdfast::contract
