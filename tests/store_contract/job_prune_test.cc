#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

class JobPrune : public JobContract {
protected:
    store::PruneAnswer prune(std::size_t limit = store::max_batch_rows, bool dry_run = false) {
        store::PruneParams params;
        params.terminal_older_than = std::chrono::hours(24);
        params.limit = limit;
        params.dry_run = dry_run;
        params.clock_is_right = true;
        return store->prune(params);
    }
    bool exists(const Uuid& id) { return jobs->find_jobs({id}).at(0).has_value(); }
    long rows(const std::string& table) { return database->raw()->number("SELECT count(*) FROM " + table); }
};
HOLDFAST_FOR_EVERY_STORE(JobPrune);

TEST_P(JobPrune, AnOldJobGoesWithItsTreeAndAllThatBelongsToIt) {
    auto child = a_flow({a_step("x")}, "child");
    const Uuid id = start({a_flow({child_step("c", "child"), a_step("a")}), child});
    const Uuid child_id = step(id, "c").child;
    complete(child_id, "x");
    fail(id, "a");
    EXPECT_EQ(prune().jobs, 0);
    clock.advance(std::chrono::hours(25));
    EXPECT_EQ(prune(1000, true).jobs, 1);
    EXPECT_TRUE(exists(id));
    EXPECT_EQ(prune().jobs, 1);
    EXPECT_FALSE(exists(id));
    EXPECT_FALSE(exists(child_id));
    for (const auto* table : {"job", "job_progress", "step", "task", "ending", "event", "workflow_definition"})
        EXPECT_EQ(rows(table), 0) << table;
}

TEST_P(JobPrune, AnOldJobsIdIsRefusedAlsoByAClockThatWasSetBack) {
    const auto given = a_job(clock.now(), {a_flow({a_step("a"), a_step("b", {"a"})})});
    ASSERT_EQ(jobs->start_jobs({given}).at(0).status, store::SubmitStatus::Accepted);
    clock.advance(std::chrono::minutes(1));
    complete(given.id, "a");
    auto task = a_task(clock.now());
    task.id = step(given.id, "b").task;
    complete(given.id, "b");
    clock.advance(std::chrono::hours(25));
    EXPECT_EQ(prune().jobs, 1);
    clock.advance(-std::chrono::hours(25));
    EXPECT_EQ(jobs->start_jobs({given}).at(0).status, store::SubmitStatus::TooOld);
    EXPECT_EQ(store->submit({task}).at(0).status, store::SubmitStatus::TooOld) << "that of a step";
    EXPECT_FALSE(exists(given.id));
}

TEST_P(JobPrune, TheTasksOfAJobAreSubmittedAlsoByAClockThatWasSetBack) {
    const Uuid old = start({a_step("a")});
    complete(old, "a");
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    clock.advance(std::chrono::hours(25));
    EXPECT_EQ(prune().jobs, 1);
    clock.advance(-std::chrono::hours(26));
    complete(id, "a");
    complete(id, "b");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobPrune, TasksOfStepsStayAsLongAsTheirJob) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    complete(id, "a", "7");
    clock.advance(std::chrono::hours(25));
    const auto answer = prune();
    EXPECT_EQ(answer.tasks, 0);
    EXPECT_EQ(answer.jobs, 0);
    EXPECT_EQ(step(id, "a").output, "7");
}

TEST_P(JobPrune, AJobStaysWhileItsHookRuns) {
    auto flow = a_flow({a_step("a")});
    flow.on_success = {a_step("")};
    const Uuid id = start({flow});
    complete(id, "a");
    const auto lease = running(id, "on_success");
    clock.advance(std::chrono::hours(25));
    EXPECT_EQ(prune().jobs, 0);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(prune().jobs, 1);
    EXPECT_EQ(rows("task"), 0);
}

TEST_P(JobPrune, ALargeJobGoesInBoundedPieces) {
    nlohmann::json list = nlohmann::json::array();
    for (int i = 0; i < 50; ++i) list.push_back(i);
    const Uuid id = start({for_each_step("f", list)});
    cancel_job(id);
    clock.advance(std::chrono::hours(25));
    int calls = 0;
    for (bool more = true; more; ++calls) more = prune(20).more;
    EXPECT_GT(calls, 2);
    EXPECT_FALSE(exists(id));
    EXPECT_EQ(rows("step"), 0);
    EXPECT_EQ(rows("task"), 0);
}

TEST_P(JobPrune, ADefinitionStaysAsLongAsAJobHasIt) {
    const Uuid old = start({a_step("a")});
    complete(old, "a");
    clock.advance(std::chrono::hours(25));
    const Uuid young = start({a_step("a")});
    prune();
    EXPECT_FALSE(exists(old));
    EXPECT_NE(jobs->job_definition(young), "");
}

TEST_P(JobPrune, ARetryOutlivesTheJobThatItAdoptedFrom) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    complete(id, "a", "7");
    fail(id, "b");
    clock.advance(std::chrono::hours(25));
    const Uuid fresh = new_task_id(clock.now());
    jobs->retry_job({id, fresh, "ann"});
    prune();
    EXPECT_FALSE(exists(id));
    EXPECT_EQ(step(fresh, "a").output, "7");
    complete(fresh, "b");
    EXPECT_EQ(state(fresh), JobState::Completed);
}

}  // namespace
}  // namespace holdfast::contract
