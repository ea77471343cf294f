#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class Find : public StoreContract {
protected:
    std::vector<Uuid> listed(const store::ListParams& params) { return ids_of(store->list(params)); }
};
HOLDFAST_FOR_EVERY_STORE(Find);

std::vector<Uuid> reversed(std::vector<Uuid> ids) {
    std::reverse(ids.begin(), ids.end());
    return ids;
}

TEST_P(Find, AnswersInTheOrderAskedWithGapsForWhatIsMissing) {
    const auto ids = submit(tasks(clock.now(), 3));
    const auto found = store->find({ids[2], new_task_id(clock.now()), ids[0], ids[2]});
    ASSERT_THAT(found, SizeIs(4));
    EXPECT_EQ(found[0]->task.id, ids[2]);
    EXPECT_FALSE(found[1].has_value());
    EXPECT_EQ(found[2]->task.id, ids[0]);
    EXPECT_EQ(found[3]->task.id, ids[2]);
}

TEST_P(Find, OfNothingAnswersNothing) {
    EXPECT_THAT(store->find({}), IsEmpty());
}

TEST_P(Find, OfMoreThanOneBatchFindsAll) {
    const auto ids = submit(tasks(clock.now(), 2300));
    const auto found = store->find(ids);
    ASSERT_THAT(found, SizeIs(ids.size()));
    for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(found[i].value().task.id, ids[i]);
}

TEST_P(Find, TellsWhyAPendingTaskIsOutOfReach) {
    auto later = a_task(clock.now());
    later.run_at = clock.now() + 1h;
    auto brief = a_task(clock.now());
    brief.deadline = clock.now() + 1s;
    submit(std::vector{later, brief, with_key(with_priority(a_task(clock.now()), 1), "k")});
    const auto parked = submit(with_key(with_priority(a_task(clock.now()), 2), "k"));
    const Uuid worker = join(*store);
    claim_one(worker);
    clock.advance(2s);
    claim(*store, worker, 10);
    EXPECT_EQ(record(*store, later.id).waits_for, store::WaitReason::Future);
    EXPECT_EQ(record(*store, brief.id).waits_for, store::WaitReason::Overdue);
    EXPECT_EQ(record(*store, parked).waits_for, store::WaitReason::Key);
}

TEST_P(Find, ListsNewestFirst) {
    const auto ids = submit(tasks(clock.now(), 5));
    EXPECT_EQ(listed({}), reversed(ids));
}

TEST_P(Find, ListPagesByTheLastIdWithoutGapOrRepeat) {
    const auto ids = reversed(submit(tasks(clock.now(), 7)));
    std::vector<Uuid> seen;
    store::ListParams params;
    params.limit = 3;
    while (true) {
        const auto page = listed(params);
        if (page.empty()) break;
        EXPECT_LE(page.size(), 3U);
        seen.insert(seen.end(), page.begin(), page.end());
        params.after = page.back();
    }
    EXPECT_EQ(seen, ids);
}

TEST_P(Find, ListOfAThousandIsWhole) {
    submit(tasks(clock.now(), 1100));
    store::ListParams params;
    params.limit = 1000;
    EXPECT_THAT(listed(params), SizeIs(1000));
}

TEST_P(Find, ListFiltersByEveryState) {
    const Uuid worker = join(*store);
    submit(with_priority(a_task(clock.now()), 1));
    const auto done = claim_one(worker);
    finish(*store, worker, completed(done));
    submit(with_priority(a_task(clock.now()), 1));
    const auto broken = claim_one(worker);
    finish(*store, worker, failed(broken));
    const auto cancelled = submit();
    cancel(*store, cancelled);
    auto late = a_task(clock.now());
    late.deadline = clock.now() + 1s;
    submit(late);
    clock.advance(1min);
    store->expire_overdue(10);
    const auto running = submit();
    claim_one(worker);
    const auto held = submit();
    hold_one(worker);
    const auto pending = submit();

    const std::vector<std::pair<TaskState, Uuid>> expected = {
        {TaskState::Completed, done.task}, {TaskState::Failed, broken.task}, {TaskState::Cancelled, cancelled},
        {TaskState::Expired, late.id},     {TaskState::Running, running},    {TaskState::Claimed, held},
        {TaskState::Pending, pending}};
    for (const auto& [state, id] : expected) {
        store::ListParams params;
        params.filter.states = {state};
        EXPECT_THAT(listed(params), ElementsAre(id)) << to_text(state);
        EXPECT_EQ(state_of(*store, id), state);
    }
    store::ListParams params;
    params.filter.states = {TaskState::Pending, TaskState::Completed};
    EXPECT_THAT(listed(params), ElementsAre(pending, done.task));
}

TEST_P(Find, ListFiltersByNameQueueAndWorker) {
    auto mail = a_task(clock.now(), "mail");
    auto in_slow = a_task(clock.now());
    in_slow.queue = "slow";
    const auto claimed = submit(with_priority(a_task(clock.now()), 1));
    submit(std::vector{mail, in_slow});
    const Uuid worker = join(*store);
    claim_one(worker);

    store::ListParams params;
    params.filter.name = "mail";
    EXPECT_THAT(listed(params), ElementsAre(mail.id));
    params = {};
    params.filter.queue = "slow";
    EXPECT_THAT(listed(params), ElementsAre(in_slow.id));
    params = {};
    params.filter.worker = worker;
    EXPECT_THAT(listed(params), ElementsAre(claimed));
    params.filter.name = "mail";
    EXPECT_THAT(listed(params), IsEmpty());
}

/// Whether few or very many match each part of a filter, the list is what going through all tasks would find.
TEST_P(Find, ListFindsTheSameByEveryCombinationOfFilters) {
    std::vector<Uuid> all;
    const auto add = [&](std::size_t count, const std::string& queue, const std::string& name) {
        auto batch = tasks(clock.now(), count);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            batch[i].name = name;
            batch[i].queue = queue;
            if (i % 3 == 0) batch[i].tags = {"gpu"};
            if (i % 2 == 0) batch[i].tags.push_back("task:" + name);  // as the tasks of a function have
            if (i % 5 == 1) batch[i].tags = {"task:common"};          // which may be the tag of another one
            all.push_back(batch[i].id);
        }
        submit(batch);
    };
    const auto run = [&](const Uuid& worker, std::size_t count) {
        std::vector<store::FinishedRun> runs;
        for (const auto& task : claim_fully(*store, worker, count))
            runs.push_back(runs.size() % 7 == 0 ? failed(lease_of(task)) : completed(lease_of(task)));
        store->turn({.worker = worker, .finish = runs});
    };
    const std::vector<std::string> tags = {"gpu", "task:common", "task:odd"};
    const Uuid busy = join(*store, a_worker({"default", "rare"}, tags));
    const Uuid lazy = join(*store, a_worker({"default", "rare"}, tags));
    add(5, "rare", "common");
    run(lazy, 4);
    add(1100, "default", "common");
    run(busy, 1060);
    add(6, "default", "odd");
    add(6, "rare", "odd");
    run(lazy, 20);
    run(busy, 30);
    claim_fully(*store, lazy, 3);
    cancel(*store, all.back());
    std::sort(all.begin(), all.end(), std::greater());
    std::vector<store::TaskRecord> records;
    for (const auto& found : store->find(all)) records.push_back(found.value());

    using States = std::vector<TaskState>;
    for (const std::string name : {"", "common", "odd"})
        for (const std::string queue : {"", "default", "rare", "none"})
            for (const Uuid& worker : {Uuid(), busy, lazy})
                for (const States& states :
                     {States(), States{TaskState::Completed}, States{TaskState::Failed, TaskState::Running},
                      States{TaskState::Pending, TaskState::Cancelled}}) {
                    store::ListParams params;
                    params.filter = {
                        .states = states, .name = name, .queue = queue, .id_prefix = {}, .worker = worker};
                    params.limit = 30;
                    std::vector<Uuid> expected;
                    for (const auto& record : records) {
                        const bool matches = (name.empty() || record.task.name == name) &&
                                             (queue.empty() || record.task.queue == queue) &&
                                             (worker.is_nil() || record.worker == worker) &&
                                             (states.empty() || std::ranges::count(states, record.state) > 0);
                        if (matches && expected.size() < params.limit) expected.push_back(record.task.id);
                    }
                    EXPECT_EQ(listed(params), expected) << "name " << name << ", queue " << queue << ", worker "
                                                        << worker.to_string() << ", " << states.size() << " states";
                }
}

TEST_P(Find, ListByWorkerKeepsTheTasksThatItEnded) {
    submit(tasks(clock.now(), 2));
    const Uuid worker = join(*store);
    const Uuid other = join(*store);
    const auto mine = claim_one(worker);
    finish(*store, worker, completed(mine));
    finish(*store, other, completed(claim_one(other)));
    store::ListParams params;
    params.filter.worker = worker;
    EXPECT_THAT(listed(params), ElementsAre(mine.task));
}

TEST_P(Find, ListTakesAbbreviatedIds) {
    const auto first = submit();
    clock.advance(1h);
    const auto second = submit();
    const auto text = first.to_string();
    for (const std::size_t length : {36UL, 30UL, 14UL, 13UL, 11UL}) {
        store::ListParams params;
        params.filter.id_prefix = text.substr(0, length);
        EXPECT_THAT(listed(params), ElementsAre(first)) << params.filter.id_prefix;
    }
    store::ListParams params;
    params.filter.id_prefix = text.substr(0, 4);
    EXPECT_THAT(listed(params), ElementsAre(second, first));
    std::transform(params.filter.id_prefix.begin(), params.filter.id_prefix.end(), params.filter.id_prefix.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    EXPECT_THAT(listed(params), SizeIs(2));
    params.filter.id_prefix = "ffff";
    EXPECT_THAT(listed(params), IsEmpty());
}

TEST_P(Find, CountsEveryStateOnce) {
    const Uuid worker = join(*store);
    submit(tasks(clock.now(), 6));
    finish(*store, worker, completed(claim_one(worker)));
    finish(*store, worker, failed(claim_one(worker)));
    claim_one(worker);
    hold_one(worker);
    auto later = a_task(clock.now());
    later.run_at = clock.now() + 1h;
    cancel(*store, submit(later));
    const auto counts = store->count();
    EXPECT_EQ(counts.pending, 2);
    EXPECT_EQ(counts.claimed, 1);
    EXPECT_EQ(counts.running, 1);
    EXPECT_EQ(counts.completed, 1);
    EXPECT_EQ(counts.failed, 1);
    EXPECT_EQ(counts.cancelled, 1);
    EXPECT_EQ(counts.expired, 0);
}

}  // namespace
}  // namespace holdfast::contract
