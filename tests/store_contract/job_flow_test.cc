#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

class JobFlow : public JobContract {
protected:
    static core::WorkflowStep joined(core::WorkflowStep step, core::JoinKind kind, int quorum = 0) {
        step.join = {kind, quorum};
        return step;
    }
    static core::WorkflowStep tolerant(core::WorkflowStep step) {
        step.allow_failed_deps = true;
        return step;
    }
    static core::WorkflowStep conditional(core::WorkflowStep step, std::string when) {
        step.when = std::move(when);
        return step;
    }
    static core::WorkflowStep given(core::WorkflowStep step, nlohmann::json input) {
        step.input = std::move(input);
        return step;
    }
};
HOLDFAST_FOR_EVERY_STORE(JobFlow);

TEST_P(JobFlow, AChainRunsOneStepAfterTheOther) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"}), a_step("c", {"b"})});
    complete(id, "a");
    EXPECT_EQ(states(id), "a=COMPLETED b=READY c=WAITING");
    complete(id, "b");
    EXPECT_EQ(states(id), "a=COMPLETED b=COMPLETED c=READY");
    clock.advance(3s);
    complete(id, "c", R"({"n":3})");
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_EQ(job(id).output, R"({"n":3})");
    EXPECT_EQ(job(id).finished_at, clock.now());
    EXPECT_FALSE(job(id).deadline.has_value());
}

TEST_P(JobFlow, ADiamondJoinsWhenBothSidesAreDone) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"}), a_step("c", {"a"}), a_step("d", {"b", "c"})});
    complete(id, "a");
    complete(id, "c");
    EXPECT_EQ(states(id), "a=COMPLETED b=RUNNING c=COMPLETED d=WAITING");
    complete(id, "b");
    complete(id, "d");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobFlow, AFailureSkipsWhatDependsOnItAndFailsTheJob) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"}), a_step("c", {"b"}), a_step("d")});
    fail(id, "a", "NO_DISK");
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED c=SKIPPED d=RUNNING");
    EXPECT_EQ(state(id), JobState::Running);
    complete(id, "d");
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_EQ(job(id).error->code, "STEP_FAILED");
    EXPECT_THAT(job(id).error->message, HasSubstr("NO_DISK"));
    EXPECT_EQ(step(id, "b").error->code, "UPSTREAM_FAILED");
    EXPECT_EQ(step(id, "c").error->code, "UPSTREAM_SKIPPED");
    EXPECT_EQ(step(id, "a").error->code, "NO_DISK");
}

TEST_P(JobFlow, ARetriedStepFailsOnlyWithItsLastAttempt) {
    auto a = a_step("a");
    a.policy.retry.max_attempts = 2;
    const Uuid id = start({a, a_step("b", {"a"})});
    fail(id, "a");
    EXPECT_EQ(states(id), "a=RUNNING b=WAITING");
    EXPECT_EQ(step(id, "a").attempts, 1);
    clock.advance(1min);
    fail(id, "a");
    EXPECT_EQ(states(id), "a=FAILED b=SKIPPED");
    EXPECT_EQ(step(id, "a").attempts, 2);
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobFlow, JoinAnyRunsAtTheFirstSuccess) {
    const Uuid id = start({a_step("a"), a_step("b"), joined(a_step("c", {"a", "b"}), core::JoinKind::Any)});
    fail(id, "a");
    EXPECT_EQ(step(id, "c").state, StepState::Waiting);
    complete(id, "b");
    EXPECT_EQ(step(id, "c").state, StepState::Ready);
}

TEST_P(JobFlow, JoinAnyIsSkippedWhenAllHaveFailed) {
    const Uuid id = start({a_step("a"), a_step("b"), joined(a_step("c", {"a", "b"}), core::JoinKind::Any)});
    fail(id, "a");
    fail(id, "b");
    EXPECT_EQ(step(id, "c").state, StepState::Skipped);
}

TEST_P(JobFlow, AQuorumRunsWhenItIsReachedAndIsSkippedAsSoonAsItCannotBe) {
    const auto steps = std::vector{a_step("a"), a_step("b"), a_step("c"),
                                   joined(a_step("d", {"a", "b", "c"}), core::JoinKind::Quorum, 2)};
    const Uuid reached = start(steps);
    complete(reached, "a");
    fail(reached, "b");
    EXPECT_EQ(step(reached, "d").state, StepState::Waiting);
    complete(reached, "c");
    EXPECT_EQ(step(reached, "d").state, StepState::Ready);
    const Uuid missed = start(steps);
    fail(missed, "a");
    fail(missed, "b");
    EXPECT_EQ(step(missed, "d").state, StepState::Skipped);
}

TEST_P(JobFlow, AllowFailedDepsRunsWhenEverythingHasEnded) {
    const Uuid id = start({a_step("a"), a_step("b"), tolerant(a_step("c", {"a", "b"}))});
    fail(id, "a");
    EXPECT_EQ(step(id, "c").state, StepState::Waiting);
    complete(id, "b");
    complete(id, "c");
    EXPECT_EQ(states(id), "a=FAILED b=COMPLETED c=COMPLETED");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobFlow, AConditionThatIsFalseSkipsItsStepAndWhatDependsOnIt) {
    const Uuid id = start({a_step("a"), conditional(a_step("b", {"a"}), "steps.a.output.go"),
                           conditional(a_step("c", {"a"}), "not steps.a.output.go"), a_step("d", {"b"})});
    complete(id, "a", R"({"go":false})");
    EXPECT_EQ(states(id), "a=COMPLETED b=SKIPPED c=READY d=SKIPPED");
    complete(id, "c");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobFlow, AConditionThatCannotBeEvaluatedFailsItsStep) {
    const Uuid id = start({a_step("a"), conditional(a_step("b", {"a"}), "steps.a.output.missing.deeper > 1")});
    complete(id, "a", R"({"missing":"text"})");
    EXPECT_EQ(step(id, "b").state, StepState::Failed);
    EXPECT_EQ(step(id, "b").error->code, "EXPRESSION_FAILED");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobFlow, AnOptionalStepMayFail) {
    auto flow = a_flow({a_step("a"), a_step("b")});
    flow.optional = {"a"};
    const Uuid id = start({flow});
    fail(id, "a");
    complete(id, "b");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobFlow, OneCaseOfSuccessIsEnough) {
    auto flow = a_flow({a_step("a"), a_step("b"), a_step("c")});
    flow.success = {{"a", "b"}, {"c"}};
    const Uuid id = start({flow});
    fail(id, "a");
    complete(id, "b");
    complete(id, "c");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobFlow, NoCaseOfSuccessFailsTheJob) {
    auto flow = a_flow({a_step("a"), conditional(a_step("b"), "false")});
    flow.success = {{"b"}};
    const Uuid id = start({flow});
    complete(id, "a");
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_EQ(job(id).error->code, "SUCCESS_CASE_NOT_MET");
}

TEST_P(JobFlow, OnErrorContinueCompletesAllTheSame) {
    auto flow = a_flow({a_step("a"), a_step("b")});
    flow.on_error = core::OnError::Continue;
    const Uuid id = start({flow});
    fail(id, "a");
    complete(id, "b");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobFlow, OnErrorPauseHoldsTheRestUntilAPersonResumes) {
    auto flow = a_flow({a_step("a"), a_step("b")});
    flow.on_error = core::OnError::Pause;
    const Uuid id = start({flow});
    const auto only_a = claim(*store, worker, 1);
    const auto owner = jobs->step_of_task(only_a.tasks.at(0).task.id)->second;
    const std::string other = owner == "a" ? "b" : "a";
    finish(*store, worker, failed(lease_of(only_a.tasks.at(0))));
    EXPECT_EQ(state(id), JobState::Paused);
    EXPECT_FALSE(can_be_claimed(id, other));
    EXPECT_EQ(resume(id), SteerStatus::Applied);
    complete(id, other);
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobFlow, OutputsFlowIntoArgumentsWithTheirTypes) {
    auto flow =
        a_flow({a_step("a"), given(a_step("b", {"a"}), {{"n", "{{ steps.a.output.n }}"},
                                                        {"text", "n is {{ steps.a.output.n }} of {{ input.all }}"},
                                                        {"status", "{{ steps.a.status }}"}})});
    flow.output = "{{ steps.b.output }}";
    const Uuid id = start({flow}, R"({"all":[1,2]})");
    complete(id, "a", R"({"n":7})");
    EXPECT_EQ(nlohmann::json::parse(claimed(id, "b").task.args),
              nlohmann::json::parse(R"({"n":7,"text":"n is 7 of [1,2]","status":"COMPLETED"})"));
    complete(id, "b", "true");
    EXPECT_EQ(job(id).output, "true");
}

TEST_P(JobFlow, AnOutputThatCannotBeEvaluatedFailsTheJob) {
    auto flow = a_flow({a_step("a")});
    flow.output = "{{ steps.a.output.x + 1 }}";
    const Uuid id = start({flow});
    complete(id, "a", R"({"x":"text"})");
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_EQ(job(id).error->code, "EXPRESSION_FAILED");
}

TEST_P(JobFlow, EventsTellTheJobsStoryInOrder) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    fail(id, "a");
    EXPECT_THAT(kinds_of_events(id), ElementsAre("job_started", "step_failed", "steps_skipped", "job_failed"));
}

TEST_P(JobFlow, EventsOfTasksAreEventsOfTheirJob) {
    const Uuid id = start({a_step("a")});
    cancel(*store, step(id, "a").task);
    EXPECT_THAT(kinds_of_events(id), Contains("cancelled"));
    const auto events = jobs->job_events({.job = id});
    EXPECT_EQ(events.front().job, id);
    EXPECT_THAT(jobs->job_events({.job = id, .after_id = events.back().id}), IsEmpty());
    EXPECT_THAT(jobs->job_events({.job = id, .limit = 1}), SizeIs(1));
}

}  // namespace
}  // namespace holdfast::contract
