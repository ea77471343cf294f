#include "base/text.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

/// States that the transactions should make impossible, written into the database by hand.
class JobRepair : public JobContract {
protected:
    void SetUp() override {
        JobContract::SetUp();
        raw = database->raw();
    }

    std::string of(const Uuid& job, int number, int item = -1) {
        return concat(" WHERE job_id = ", raw->literal(job), " AND step = ", number, " AND item = ", item);
    }
    std::string now() { return GetParam() == StoreKind::Sqlite ? "1772366400000000" : "'2026-03-01 12:00:00+00'"; }

    /// Ends the task behind the back of its job, as a store that forgot to advance it would.
    void end_secretly(const Uuid& task, const std::string& state, const std::string& result,
                      const std::string& code) {
        const auto id = raw->literal(task);
        raw->execute("DELETE FROM ready WHERE task_id = " + id);
        raw->execute(
            concat("INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, result,"
                   " error_code, error_message) VALUES (",
                   id, ", '", state, "', ", now(), ", 1, 0, 0, ", now(), ", ", result, ", ", code, ", ",
                   code == "NULL" ? "NULL" : "'it said so'", ")"));
    }
    void forget_task(const Uuid& task) {
        const auto id = raw->literal(task);
        raw->execute("DELETE FROM ready WHERE task_id = " + id);
        raw->execute("DELETE FROM task WHERE id = " + id);
    }

    std::unique_ptr<RawSql> raw;
};
HOLDFAST_FOR_EVERY_STORE(JobRepair);

TEST_P(JobRepair, FindsNothingInSoundJobs) {
    auto each = for_each_step("f", {1, 2, 3});
    each.parallel = 1;
    auto child = a_flow({a_step("x")}, "child");
    const Uuid id = start({a_flow({a_step("a"), a_step("b", {"a"}), each, child_step("c", "child"),
                                   wait_step("w", "1h"), approval_step("ok", "Now?")}),
                           child});
    const auto before = states(id);
    EXPECT_EQ(repair().total(), 0);
    running(id, "a");
    EXPECT_EQ(repair().total(), 0);
    pause(id);
    EXPECT_EQ(repair().total(), 0);
    resume(id);
    EXPECT_EQ(repair().total(), 0);
    EXPECT_THAT(repair().poison, IsEmpty());
    EXPECT_NE(before, "");
}

TEST_P(JobRepair, ReplaysAStoredResultAndResolvesItsDependentsInTheSamePass) {
    auto flow = a_flow({a_step("a"), a_step("b", {"a"})});
    flow.steps[1].input = "{{ steps.a.output.n }}";
    const Uuid id = start({flow});
    end_secretly(step(id, "a").task, "COMPLETED", "'{\"n\":4}'", "NULL");
    const auto answer = repair();
    EXPECT_EQ(answer.replayed, 1);
    EXPECT_EQ(states(id), "a=COMPLETED b=READY");
    EXPECT_EQ(claimed(id, "b").task.args, "4");
    EXPECT_THAT(kinds_of_events(id), Contains("repaired"));
    EXPECT_EQ(repair().total(), 0);
}

TEST_P(JobRepair, ReplaysAStoredErrorAndEndsTheJobInTheSamePass) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    end_secretly(step(id, "a").task, "FAILED", "NULL", "'BOOM'");
    repair();
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
    EXPECT_EQ(step(id, "a").error->code, "BOOM");
    EXPECT_EQ(state(id), JobState::Failed);
}

struct Synthesis {
    const char* state;
    const char* result;
    const char* code;
    StepState step;
};
class JobRepairSynthesises : public JobRepair {};
HOLDFAST_FOR_EVERY_STORE(JobRepairSynthesises);

TEST_P(JobRepairSynthesises, TheErrorThatATaskDidNotLeave) {
    const std::vector<Synthesis> cases = {
        {"FAILED", "NULL", "WORKER_CRASHED", StepState::Failed},
        {"CANCELLED", "NULL", "TASK_CANCELLED", StepState::Cancelled},
        {"EXPIRED", "NULL", "TASK_EXPIRED", StepState::Failed},
        {"COMPLETED", "NULL", "RESULT_NOT_AVAILABLE", StepState::Failed},
    };
    for (const auto& given : cases) {
        const Uuid id = start({a_step("a")});
        end_secretly(step(id, "a").task, given.state, given.result, "NULL");
        EXPECT_EQ(repair().replayed, 1) << given.state;
        EXPECT_EQ(step(id, "a").state, given.step) << given.state;
        ASSERT_TRUE(step(id, "a").error.has_value()) << given.state;
        EXPECT_EQ(step(id, "a").error->code, given.code) << given.state;
        EXPECT_THAT(step(id, "a").error->data, HasSubstr("repair")) << given.state;
        EXPECT_EQ(state(id), JobState::Failed) << given.state;
    }
}

TEST_P(JobRepair, ATaskThatIsGoneFailsItsStep) {
    const Uuid id = start({a_step("a")});
    forget_task(step(id, "a").task);
    EXPECT_EQ(repair().replayed, 1);
    EXPECT_EQ(step(id, "a").error->code, "RESULT_NOT_AVAILABLE");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobRepair, ResolvesAWaitingStepWhoseDependenciesHaveEnded) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"}), a_step("c", {"b"})});
    const Uuid task = step(id, "a").task;
    end_secretly(task, "COMPLETED", "'1'", "NULL");
    raw->execute("UPDATE step SET state = 'COMPLETED', output = '1'" + of(id, 0));
    const auto answer = repair();
    EXPECT_EQ(answer.resolved, 1);
    EXPECT_EQ(states(id), "a=COMPLETED b=READY c=WAITING");
    complete(id, "b");
    complete(id, "c");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobRepair, SkipsAWaitingStepWhoseDependencyHasFailed) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    end_secretly(step(id, "a").task, "FAILED", "NULL", "'BOOM'");
    raw->execute("UPDATE step SET state = 'FAILED'" + of(id, 0));
    repair();
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobRepair, DispatchesAReadyStepThatWasNeverEnqueued) {
    const Uuid id = start({a_step("a")});
    const Uuid task = step(id, "a").task;
    forget_task(task);
    raw->execute("UPDATE step SET task_id = NULL" + of(id, 0));
    clock.advance(1s);
    EXPECT_EQ(repair().dispatched, 1);
    complete(id, "a");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobRepair, DispatchesNothingOfAPausedJob) {
    const Uuid id = start({a_step("a")});
    forget_task(step(id, "a").task);
    raw->execute("UPDATE step SET task_id = NULL" + of(id, 0));
    raw->execute("UPDATE job_progress SET state = 'PAUSED' WHERE job_id = " + raw->literal(id));
    EXPECT_EQ(repair().total(), 0);
    EXPECT_THAT(claim(*store, worker, 1).tasks, IsEmpty());
    resume(id);
    clock.advance(1s);
    complete(id, "a");
}

TEST_P(JobRepair, StartsAChildJobThatWasNeverStarted) {
    auto child = a_flow({a_step("x")}, "child");
    const Uuid id = start({a_flow({child_step("c", "child")}), child});
    const Uuid lost = step(id, "c").child;
    forget_task(step(lost, "x").task);
    for (const auto* table : {"step WHERE job_id", "job_progress WHERE job_id", "job WHERE id"})
        raw->execute(concat("DELETE FROM ", table, " = ", raw->literal(lost)));
    raw->execute("UPDATE step SET child_id = NULL, state = 'READY'" + of(id, 0));
    clock.advance(1s);
    EXPECT_EQ(repair().dispatched, 1);
    complete(step(id, "c").child, "x");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobRepair, CompletesTheStepOfAChildJobThatEnded) {
    auto child = a_flow({a_step("x")}, "child");
    const Uuid id = start({a_flow({child_step("c", "child"), a_step("d", {"c"})}), child});
    const Uuid ended_child = step(id, "c").child;
    end_secretly(step(ended_child, "x").task, "COMPLETED", "'9'", "NULL");
    raw->execute("UPDATE step SET state = 'COMPLETED'" + of(ended_child, 0));
    raw->execute("UPDATE job_progress SET state = 'COMPLETED', open_steps = 0, output = '9' WHERE job_id = " +
                 raw->literal(ended_child));
    EXPECT_EQ(repair().children, 1);
    EXPECT_EQ(states(id), "c=COMPLETED d=READY");
    EXPECT_EQ(step(id, "c").output, "9");
}

TEST_P(JobRepair, EndsAJobAllOfWhoseStepsHaveEnded) {
    const Uuid id = start({a_step("a")});
    end_secretly(step(id, "a").task, "COMPLETED", "'1'", "NULL");
    raw->execute("UPDATE step SET state = 'COMPLETED'" + of(id, 0));
    EXPECT_EQ(repair().completed, 1);
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_EQ(job(id).output, "1");
}

TEST_P(JobRepair, EndsAPausedJobAllOfWhoseStepsHaveEnded) {
    const Uuid id = start({a_step("a")});
    end_secretly(step(id, "a").task, "COMPLETED", "'1'", "NULL");
    raw->execute("UPDATE step SET state = 'COMPLETED'" + of(id, 0));
    raw->execute("UPDATE job_progress SET state = 'PAUSED', open_steps = 0 WHERE job_id = " + raw->literal(id));
    EXPECT_EQ(repair().completed, 1);
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_EQ(repair().total(), 0);
}

TEST_P(JobRepair, RecountsAForEachWhoseItemsHaveEnded) {
    const Uuid id = start({for_each_step("f", {1, 2})});
    for (const int item : {0, 1}) {
        end_secretly(step(id, concat("f[", item, "]")).task, "COMPLETED", "'5'", "NULL");
        raw->execute("UPDATE step SET state = 'COMPLETED'" + of(id, 0, item));
    }
    EXPECT_GT(repair().total(), 0);
    EXPECT_EQ(job(id).output, "[5,5]");
}

TEST_P(JobRepair, MendsAChildAndItsParentInOnePass) {
    auto child = a_flow({a_step("x")}, "child");
    const Uuid id = start({a_flow({child_step("c", "child")}), child});
    end_secretly(step(step(id, "c").child, "x").task, "COMPLETED", "'9'", "NULL");
    EXPECT_EQ(repair().replayed, 1);
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobRepair, CancelsTasksThatTheirJobsCancelDidNotReach) {
    const Uuid id = start({a_step("a"), a_step("b")});
    const auto lease = claim(*store, worker, 1).tasks.at(0);
    raw->execute("UPDATE job_progress SET cancel_code = 'JOB_CANCELLED', cancel_reason = 'enough' WHERE job_id = " +
                 raw->literal(id));
    EXPECT_EQ(repair().steered, 2);
    EXPECT_TRUE(record(*store, lease.task.id).cancel_requested);
    EXPECT_EQ(repair().steered, 0);
    finish(*store, worker, ended(lease_of(lease), core::LeaseEnd::Cancelled));
    EXPECT_EQ(state(id), JobState::Cancelled);
}

TEST_P(JobRepair, HoldsTasksThatTheirJobsPauseDidNotReach) {
    const Uuid id = start({a_step("a")});
    raw->execute("UPDATE job_progress SET state = 'PAUSED' WHERE job_id = " + raw->literal(id));
    EXPECT_EQ(repair().steered, 1);
    EXPECT_THAT(claim(*store, worker, 1).tasks, IsEmpty());
    EXPECT_EQ(repair().steered, 0);
}

TEST_P(JobRepair, APoisonJobDoesNotStarveOthers) {
    const Uuid poison = start({a_flow({a_step("a")}, "poison")});
    const Uuid other = start({a_step("a")});
    raw->execute("UPDATE workflow_definition SET text = '{}' WHERE text LIKE '%poison%'");
    end_secretly(step(other, "a").task, "COMPLETED", "'1'", "NULL");
    const auto fresh = open();  // which does not remember the definition
    const auto answer = fresh->repair_jobs({{}, 100, "sweeper"});
    ASSERT_THAT(answer.poison, SizeIs(1));
    EXPECT_EQ(answer.poison[0].first, poison);
    EXPECT_NE(answer.poison[0].second, "");
    EXPECT_EQ(answer.replayed, 1);
    EXPECT_EQ(state(other), JobState::Completed);
}

TEST_P(JobRepair, GoesThroughTheJobsPageByPage) {
    std::vector<Uuid> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(start({a_step("a")}));
    for (const auto& id : ids) end_secretly(step(id, "a").task, "COMPLETED", "'1'", "NULL");
    store::RepairParams params{{}, 2, "sweeper"};
    int replayed = 0, calls = 0;
    for (bool more = true; more; ++calls) {
        const auto answer = jobs->repair_jobs(params);
        replayed += answer.replayed;
        params.after = answer.last;
        more = answer.more;
    }
    EXPECT_EQ(replayed, 5);
    EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace holdfast::contract
