#include <thread>

#include "base/text.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

/// Every end of a task reaches its job in the same transaction.
class JobEnds : public JobContract {
protected:
    Uuid start_pair() { return start({a_step("a"), a_step("b", {"a"})}); }
    static core::Workflow with_hooks(core::Workflow flow) {
        flow.on_success = {a_step("")};
        flow.on_failure = {a_step("")};
        flow.on_cancel = {a_step("")};
        return flow;
    }
    std::vector<std::string> hooks(const Uuid& id) {
        std::vector<std::string> names;
        for (const auto& found : jobs->steps({.job = id}))
            if (found.hook) names.push_back(found.name);
        return names;
    }
};
HOLDFAST_FOR_EVERY_STORE(JobEnds);

TEST_P(JobEnds, AVerdictOfTheSweeperAdvancesTheJob) {
    const Uuid id = start_pair();
    recover(*store, crash_verdict(running(id, "a")));
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_EQ(step(id, "a").error->code, "WORKER_CRASHED");
}

TEST_P(JobEnds, ACrashInsideAForEachFailsItsItem) {
    const Uuid id = start({for_each_step("f", {1, 2})});
    complete(id, "f[0]", "1");
    recover(*store, crash_verdict(running(id, "f[1]")));
    EXPECT_EQ(step(id, "f[1]").error->code, "WORKER_CRASHED");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobEnds, ACrashInAJoinLeavesItToTheOthers) {
    auto any = a_step("any", {"a", "b", "c"}), quorum = a_step("quorum", {"a", "b", "c"});
    any.join = {core::JoinKind::Any, 0};
    quorum.join = {core::JoinKind::Quorum, 2};
    const Uuid id = start({a_step("a"), a_step("b"), a_step("c"), any, quorum});
    recover(*store, crash_verdict(running(id, "a")));
    EXPECT_EQ(states(id), "a=FAILED b=RUNNING c=RUNNING any=WAITING quorum=WAITING");
    complete(id, "b");
    EXPECT_EQ(states(id), "a=FAILED b=COMPLETED c=RUNNING any=READY quorum=WAITING");
    recover(*store, crash_verdict(running(id, "c")));
    EXPECT_EQ(states(id), "a=FAILED b=COMPLETED c=FAILED any=READY quorum=SKIPPED");
}

TEST_P(JobEnds, ARequeueAfterACrashKeepsTheStepUnderWay) {
    auto a = a_step("a");
    a.policy.on_crash = OnCrash::Requeue;
    const Uuid id = start({a});
    recover(*store, crash_verdict(running(id, "a")));
    EXPECT_EQ(states(id), "a=RUNNING");
    EXPECT_EQ(state(id), JobState::Running);
    claimed_tasks.clear();
    complete(id, "a");
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_EQ(step(id, "a").attempts, 2);
}

TEST_P(JobEnds, ARejectionAdvancesTheJob) {
    const Uuid id = start_pair();
    const TaskError error{"NO_MATCHING_WORKER", "No active worker with required tags to run this step", ""};
    store->reject({{step(id, "a").task}, error, "sweeper"});
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
    EXPECT_EQ(step(id, "a").error, error);
}

TEST_P(JobEnds, AForcedEndAdvancesTheJob) {
    const Uuid id = start_pair();
    force(*store, running(id, "a").task);
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobEnds, TheCancelOfATaskAdvancesTheJob) {
    const Uuid id = start_pair();
    cancel(*store, step(id, "a").task);
    EXPECT_EQ(states(id), "a=CANCELLED b=SKIPPED");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobEnds, AnExpiredTaskAdvancesTheJob) {
    const Uuid id = start_pair();
    // Steps have no deadline, so the test writes one into the task.
    const auto raw = database->raw();
    raw->execute("UPDATE ready SET deadline = run_at WHERE task_id = " + raw->literal(step(id, "a").task));
    clock.advance(1s);
    EXPECT_EQ(store->expire_overdue(100), 1U);
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
    EXPECT_EQ(step(id, "a").error->code, "TASK_EXPIRED");
}

TEST_P(JobEnds, ARepeatedFinishAdvancesTheJobOnce) {
    const Uuid id = start({a_step("a"), a_step("b"), a_step("c", {"a", "b"})});
    const auto lease = running(id, "a");
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Applied);
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Already);
    EXPECT_EQ(step(id, "c").state, StepState::Waiting);
    complete(id, "b");
    complete(id, "c");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobEnds, ALateResultDoesNotAdvanceTheJob) {
    const Uuid id = start_pair();
    const auto lease = running(id, "a");
    recover(*store, crash_verdict(lease));
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::LeaseLost);
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
}

TEST_P(JobEnds, ATerminalJobAndItsStepsAreFinal) {
    const Uuid id = start({a_step("a")});
    complete(id, "a");
    const auto raw = database->raw();
    const auto literal = raw->literal(id);
    EXPECT_THROW(raw->execute("UPDATE job_progress SET state = 'RUNNING' WHERE job_id = " + literal), SqlRefused);
    EXPECT_THROW(raw->execute("UPDATE step SET state = 'READY' WHERE job_id = " + literal), SqlRefused);
    EXPECT_THROW(raw->execute("UPDATE job SET workflow = 'x' WHERE id = " + literal), SqlRefused);
}

TEST_P(JobEnds, TheHookOfTheEndRunsOnceWithTheJobsSummary) {
    const Uuid id = start({with_hooks(a_flow({a_step("a")}))}, R"({"n":1})");
    const auto lease = running(id, "a");
    finish(*store, worker, completed(lease, "5"));
    finish(*store, worker, completed(lease, "5"));
    EXPECT_THAT(hooks(id), ElementsAre("on_success"));
    const auto summary = nlohmann::json::parse(claimed(id, "on_success").task.args);
    EXPECT_EQ(summary.at("id"), id.to_string());
    EXPECT_EQ(summary.at("state"), "COMPLETED");
    EXPECT_EQ(summary.at("output"), 5);
    EXPECT_EQ(summary.at("input").at("n"), 1);
    complete(id, "on_success");
    EXPECT_EQ(repair().total(), 0);
    EXPECT_THAT(hooks(id), ElementsAre("on_success"));
}

TEST_P(JobEnds, AFailedJobFiresOnErrorAndACancelledOneOnCancel) {
    const Uuid failed_job = start({with_hooks(a_flow({a_step("a")}))});
    fail(failed_job, "a");
    EXPECT_THAT(hooks(failed_job), ElementsAre("on_error"));
    const Uuid cancelled_job = start({with_hooks(a_flow({a_step("a")}))});
    cancel_job(cancelled_job);
    EXPECT_EQ(state(cancelled_job), JobState::Cancelled);
    EXPECT_THAT(hooks(cancelled_job), ElementsAre("on_cancel"));
    EXPECT_TRUE(can_be_claimed(cancelled_job, "on_cancel"));
}

TEST_P(JobEnds, AFailingHookChangesNothingAndFiresNothing) {
    const Uuid id = start({with_hooks(a_flow({a_step("a")}))});
    complete(id, "a");
    fail(id, "on_success");
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_THAT(hooks(id), ElementsAre("on_success"));
    EXPECT_THAT(kinds_of_events(id), Contains("hook_failed"));
    EXPECT_EQ(job(id).steps.total(), 1) << "hooks are no steps";
}

TEST_P(JobEnds, OfTwoFailuresInOneCallTheFirstByDefinitionPausesTheJob) {
    auto flow = a_flow({a_step("a"), a_step("b")});
    flow.on_error = core::OnError::Pause;
    for (const bool in_order : {true, false}) {
        const Uuid id = start({flow});
        std::vector<store::FinishedRun> runs = {failed(running(id, "a")), failed(running(id, "b"))};
        if (!in_order) std::swap(runs[0], runs[1]);
        store->turn({.worker = worker, .finish = runs});
        EXPECT_EQ(states(id), "a=FAILED b=FAILED");
        std::vector<std::string> reasons;
        for (const auto& event : jobs->job_events({.job = id}))
            if (event.kind == "job_paused") reasons.push_back(event.message);
        EXPECT_THAT(reasons, ElementsAre("Job paused: step a failed")) << in_order;
    }
}

TEST_P(JobEnds, ManyFinishersAtOnceResolveAFanInOnce) {
    constexpr int threads = 8, per_thread = 10;
    std::vector<core::WorkflowStep> steps;
    std::vector<std::string> names;
    for (int i = 0; i < threads * per_thread; ++i) {
        names.push_back(concat("s", i));
        steps.push_back(a_step(names.back()));
    }
    steps.push_back(a_step("last", names));
    const Uuid id = start(std::move(steps));
    claim_all();
    std::vector<store::TaskLease> leases;
    for (const auto& [task, held] : claimed_tasks) leases.push_back(lease_of(held));
    ASSERT_THAT(leases, SizeIs(threads * per_thread));
    std::vector<std::thread> finishers;
    for (int t = 0; t < threads; ++t)
        finishers.emplace_back([&, t] {
            const auto mine = open();
            for (int i = 0; i < per_thread; ++i)
                finish(*mine, worker,
                       completed(leases[static_cast<std::size_t>(t) * per_thread + static_cast<std::size_t>(i)]));
        });
    for (auto& finisher : finishers) finisher.join();
    EXPECT_EQ(step(id, "last").state, StepState::Ready);
    EXPECT_EQ(store->count().pending, 1);
    complete(id, "last");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobEnds, ManyFinishersAtOnceFireAHookOnce) {
    std::vector<core::WorkflowStep> steps;
    for (int i = 0; i < 8; ++i) steps.push_back(a_step(concat("s", i)));
    const Uuid id = start({with_hooks(a_flow(std::move(steps)))});
    claim_all();
    std::vector<std::thread> finishers;
    for (const auto& [task, held] : claimed_tasks)
        finishers.emplace_back([this, lease = lease_of(held)] { finish(*open(), worker, completed(lease)); });
    for (auto& finisher : finishers) finisher.join();
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_THAT(hooks(id), ElementsAre("on_success"));
    EXPECT_EQ(store->count().pending, 1);
}

TEST_P(JobEnds, AKeyThatItsEndFreesGoesToTheNextStep) {
    auto a = a_step("a"), b = a_step("b");
    a.concurrency_key = b.concurrency_key = "db";
    const Uuid id = start({a, b});
    const auto first = claim(*store, worker, 5);
    ASSERT_THAT(first.tasks, SizeIs(1));
    recover(*store, crash_verdict(lease_of(first.tasks[0])));
    EXPECT_THAT(claim(*store, worker, 5).tasks, SizeIs(1));
    EXPECT_EQ(state(id), JobState::Running);
}

TEST_P(JobEnds, AJobWhoseDefinitionIsSpoiltKeepsNobodysResultFromBeingStored) {
    const Uuid spoilt = start({a_flow({a_step("a"), a_step("b", {"a"})}, "spoilt")});
    const Uuid sound = start_pair();
    const auto bad = running(spoilt, "a"), good = running(sound, "a");
    const auto raw = database->raw();
    raw->execute("UPDATE workflow_definition SET text = '{}' WHERE text LIKE '%spoilt%'");
    const auto fresh = open();  // which does not remember the definition
    const auto answer = fresh->turn({.worker = worker, .finish = {completed(bad), completed(good)}});
    EXPECT_EQ(answer.finished.at(0).fenced, Fenced::Applied);
    EXPECT_EQ(answer.finished.at(1).fenced, Fenced::Applied);
    EXPECT_EQ(state_of(*store, bad.task), TaskState::Completed);
    EXPECT_EQ(step(sound, "b").state, StepState::Ready);
    EXPECT_THAT(event_kinds(*store, bad.task), Contains("job_stuck"));
}

}  // namespace
}  // namespace holdfast::contract
