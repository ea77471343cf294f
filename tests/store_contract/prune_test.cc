#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class Prune : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    store::PruneParams terminal(Duration age) const {
        store::PruneParams params;
        params.terminal_older_than = age;
        params.clock_is_right = true;
        return params;
    }
    /// Tasks that have ended.
    std::vector<Uuid> ended_tasks(std::size_t count) {
        auto ids = submit(tasks(clock.now(), count));
        std::vector<store::FinishedRun> runs;
        for (const auto& one : claim_fully(*store, worker, count)) runs.push_back(completed(lease_of(one)));
        store->turn({.worker = worker, .finish = runs});
        return ids;
    }
    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE(Prune);

TEST_P(Prune, DeletesOldTerminalTasksWithTheirHistory) {
    submit(with_retries(a_task(clock.now()), 2));
    auto lease = claim_one(worker);
    const Uuid id = lease.task;
    store->append_logs(
        worker, {{.task = id, .lease = lease.lease, .sequence = 0, .stream = "log", .text = "x", .at = clock.now()}});
    store->save_progress(worker, {{.lease = lease, .fraction = 0.5, .text = "", .checkpoint = "1"}});
    finish(*store, worker, failed(lease));
    clock.advance(1min);
    cancel(*store, id);
    clock.advance(1h);
    EXPECT_EQ(store->prune(terminal(59min)).tasks, 1);
    EXPECT_FALSE(store->find({id}).at(0).has_value());
    EXPECT_THAT(store->attempts(id), IsEmpty());
    EXPECT_THAT(store->read_logs({.task = id, .after_offset = 0, .limit = 10}), IsEmpty());
    EXPECT_THAT(event_kinds(*store, id), ElementsAre("cancelled")) << "an order outlives its task";
    const auto raw = database->raw();
    for (const char* table : {"task", "ending", "attempt", "progress", "log"}) {
        EXPECT_EQ(raw->number(std::string("SELECT count(*) FROM ") + table), 0) << table;
    }
}

TEST_P(Prune, KeepsWhatIsYoungerOrAlive) {
    const auto old = ended_tasks(1);
    submit(a_task(clock.now()));
    const auto running = claim_one(worker);
    submit(with_priority(a_task(clock.now()), 90));
    const auto held = hold_one(worker);
    const auto pending = submit();
    clock.advance(2h);
    const auto young = ended_tasks(1);  // made from `pending`, which is older
    EXPECT_EQ(store->prune(terminal(1h)).tasks, 1);
    EXPECT_FALSE(store->find(old).at(0).has_value());
    EXPECT_EQ(state_of(*store, running.task), TaskState::Running);
    EXPECT_EQ(state_of(*store, held.task), TaskState::Claimed);
    EXPECT_EQ(state_of(*store, pending), TaskState::Completed);
    EXPECT_EQ(state_of(*store, young[0]), TaskState::Pending);
}

TEST_P(Prune, OfNothingConfiguredDeletesNothing) {
    ended_tasks(2);
    clock.advance(24h * 1000);
    const auto answer = store->prune({});
    EXPECT_EQ(answer.tasks + answer.heartbeats + answer.worker_states + answer.workers, 0);
    EXPECT_EQ(store->count().completed, 2);
}

TEST_P(Prune, AsADryRunCountsAndDeletesNothing) {
    ended_tasks(3);
    clock.advance(2h);
    auto params = terminal(1h);
    params.dry_run = true;
    EXPECT_EQ(store->prune(params).tasks, 3);
    EXPECT_EQ(store->count().completed, 3);
    params.dry_run = false;
    EXPECT_EQ(store->prune(params).tasks, 3);
    EXPECT_EQ(store->count().completed, 0);
}

TEST_P(Prune, KeepsToItsLimitAndSaysThatThereIsMore) {
    ended_tasks(5);
    clock.advance(2h);
    auto params = terminal(1h);
    params.limit = 2;
    EXPECT_EQ(store->prune(params).tasks, 2);
    auto answer = store->prune(params);
    EXPECT_EQ(answer.tasks, 2);
    EXPECT_TRUE(answer.more);
    answer = store->prune(params);
    EXPECT_EQ(answer.tasks, 1);
    EXPECT_FALSE(answer.more);
}

TEST_P(Prune, DeletesOldHeartbeatsAndWorkerStates) {
    auto beat = beat_of(worker);
    beat.keep_history = true;
    for (int i = 0; i < 3; ++i) {
        store->beat(beat);
        store->append_worker_snapshot({.worker = worker, .at = {}, .running = i});
        clock.advance(1h);
    }
    store::PruneParams params;
    params.heartbeats_older_than = 90min;
    EXPECT_EQ(store->prune(params).heartbeats, 2);
    EXPECT_THAT(store->worker_snapshots(worker, 10), SizeIs(3));
    params = {};
    params.worker_states_older_than = 150min;
    EXPECT_EQ(store->prune(params).worker_states, 1);
    EXPECT_THAT(store->worker_snapshots(worker, 10), SizeIs(2));
}

TEST_P(Prune, DeletesInactiveWorkersOnlyWhenSilentAndWithoutLeases) {
    submit();
    const Uuid holder = join(*store);
    claim_one(holder);
    const Uuid gone = join(*store);
    store->deregister_worker(holder);
    store->deregister_worker(gone);
    clock.advance(2h);
    EXPECT_EQ(store->prune(terminal(1h)).workers, 0) << "their rows are kept for as long as worker states";
    store::PruneParams params;
    params.worker_states_older_than = 1h;
    EXPECT_EQ(store->prune(params).workers, 1);
    std::vector<Uuid> left;
    for (const auto& one : store->workers()) left.push_back(one.registration.id);
    EXPECT_THAT(left, testing::UnorderedElementsAre(worker, holder));
}

TEST_P(Prune, LeavesAPrunedIdRefusedForeverAfter) {
    const auto task = a_task(clock.now());
    submit(task);
    finish(*store, worker, completed(claim_one(worker)));
    clock.advance(721h);
    EXPECT_EQ(store->prune(terminal(720h)).tasks, 1);
    EXPECT_EQ(store->submit({task}).at(0).status, store::SubmitStatus::TooOld);
}

TEST_P(Prune, LeavesAnIdRefusedAlsoByAClockThatWasSetBack) {
    const auto kept = submit();
    const auto first = a_task(clock.now());
    const auto never_used = a_task(clock.now());
    const auto last = a_task(clock.now());
    const auto younger = a_task(clock.now());
    for (const auto& task : {first, last}) {
        submit(task);
        force(*store, task.id);
    }
    clock.advance(721h);
    EXPECT_EQ(store->prune(terminal(720h)).tasks, 2);
    clock.advance(-721h);
    const auto outcomes = store->submit({first, younger, last, never_used});
    EXPECT_EQ(outcomes.at(0).status, store::SubmitStatus::TooOld);
    EXPECT_EQ(outcomes.at(1).status, store::SubmitStatus::Accepted);
    EXPECT_EQ(outcomes.at(2).status, store::SubmitStatus::TooOld);
    EXPECT_EQ(outcomes.at(3).status, store::SubmitStatus::TooOld) << "it cannot be told from one that was removed";
    EXPECT_EQ(store->count().pending, 2);
    EXPECT_TRUE(store->find({kept}).at(0).has_value());
    EXPECT_EQ(claim_fully(*store, worker, 9).size(), 2U);
}

TEST_P(Prune, NotesNothingInADryRun) {
    const auto task = a_task(clock.now());
    submit(task);
    force(*store, task.id);
    clock.advance(721h);
    auto params = terminal(720h);
    params.dry_run = true;
    EXPECT_EQ(store->prune(params).tasks, 1);
    clock.advance(-721h);
    EXPECT_EQ(store->submit({a_task(clock.now() - 1h)}).at(0).status, store::SubmitStatus::Accepted);
}

/// Nothing is removed by a clock that has moved by more than a day while nobody watched.
class PruneByAClockInDoubt : public Prune {
protected:
    void SetUp() override {
        Prune::SetUp();
        old = ended_tasks(1).front();
        clock.advance(24h * 60);
        store->beat(beat_of(worker));  // what is stamped by the clock in question does not vouch for it
        submit();
    }
    store::PruneAnswer prune(Duration watched = 0s) {
        store::PruneParams params;
        params.terminal_older_than = 720h;
        params.watched = watched;
        return store->prune(params);
    }
    Uuid old;
};
HOLDFAST_FOR_EVERY_STORE(PruneByAClockInDoubt);

TEST_P(PruneByAClockInDoubt, RemovesNothingAndSaysWhy) {
    const auto answer = prune();
    EXPECT_EQ(answer.tasks, 0);
    EXPECT_THAT(answer.doubt, HasSubstr("holdfast recovery prune --yes"));
    EXPECT_TRUE(store->find({old}).at(0).has_value());
    bool is_found = false;
    for (const auto& finding : store->check_up())
        is_found |= finding.what == "clock of retention" && finding.grade == store::Finding::Grade::Warning;
    EXPECT_TRUE(is_found);
}

TEST_P(PruneByAClockInDoubt, RemovesAgainOnceItHasBeenWatchedForADayByWhomever) {
    for (int hour = 0; hour < 23; ++hour) EXPECT_EQ(prune(1h).tasks, 0) << hour;
    store = open();
    EXPECT_NE(prune(59min).doubt, "");
    EXPECT_EQ(prune(1min).tasks, 1);
    EXPECT_EQ(prune().doubt, "");
}

TEST_P(PruneByAClockInDoubt, CountsAnewAfterTheClockWasRightMeanwhile) {
    prune(23h);
    clock.advance(-24h * 60);
    EXPECT_EQ(prune().doubt, "");
    clock.advance(24h * 60);
    EXPECT_NE(prune(2h).doubt, "");
}

TEST_P(PruneByAClockInDoubt, RemovesWhenAPersonSaysThatItIsRight) {
    auto params = terminal(720h);
    EXPECT_EQ(store->prune(params).tasks, 1);
    EXPECT_EQ(prune().doubt, "") << "and is believed from then on";
}

TEST_P(PruneByAClockInDoubt, ADryRunCountsAllTheSameAndNamesTheDoubt) {
    store::PruneParams params;
    params.terminal_older_than = 720h;
    params.dry_run = true;
    const auto answer = store->prune(params);
    EXPECT_EQ(answer.tasks, 1);
    EXPECT_NE(answer.doubt, "");
    EXPECT_NE(prune().doubt, "");
}

TEST_P(Prune, OfMoreThanOneTransactionHoldsIsBounded) {
    ended_tasks(1500);
    clock.advance(2h);
    auto params = terminal(1h);
    params.limit = 5000;
    std::int64_t pruned = 0;
    bool more = true;
    while (more) {
        const auto answer = store->prune(params);
        EXPECT_LE(answer.tasks, static_cast<std::int64_t>(store::max_batch_rows));
        pruned += answer.tasks;
        more = answer.more;
    }
    EXPECT_EQ(pruned, 1500);
}

}  // namespace
}  // namespace holdfast::contract
