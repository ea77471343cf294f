#include "base/text.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

class JobChild : public JobContract {
protected:
    /// A job whose step `c` is a child job with the step `x`.
    Uuid start_family() {
        auto child = a_flow({a_step("x")}, "child");
        child.output = "{{ steps.x.output }}";
        return start({a_flow({child_step("c", "child"), a_step("d", {"c"})}), child});
    }
    Uuid child_of(const Uuid& job, const std::string& name = "c") { return step(job, name).child; }
};
HOLDFAST_FOR_EVERY_STORE(JobChild);

TEST_P(JobChild, BeginsWithoutAWorkerAndKnowsItsFamily) {
    const Uuid id = start_family();
    const Uuid child = child_of(id);
    EXPECT_EQ(states(id), "c=RUNNING d=WAITING");
    EXPECT_EQ(state(id), JobState::Running);
    EXPECT_EQ(job(child).parent, id);
    EXPECT_EQ(job(child).parent_step, "c");
    EXPECT_EQ(job(child).root, id);
    EXPECT_EQ(job(child).depth, 1);
    EXPECT_THAT(jobs->list_jobs({}), SizeIs(1));
    EXPECT_THAT(jobs->list_jobs({.with_children = true}), SizeIs(2));
    const auto children = jobs->list_jobs({.parent = id});
    ASSERT_THAT(children, SizeIs(1));
    EXPECT_EQ(children[0].id, child);
}

TEST_P(JobChild, GivesItsOutputToItsStep) {
    const Uuid id = start_family();
    complete(child_of(id), "x", "42");
    EXPECT_EQ(state(child_of(id)), JobState::Completed);
    EXPECT_EQ(step(id, "c").state, StepState::Completed);
    EXPECT_EQ(step(id, "c").output, "42");
    EXPECT_EQ(step(id, "d").state, StepState::Ready);
}

TEST_P(JobChild, ThatFailsFailsItsStep) {
    const Uuid id = start_family();
    fail(child_of(id), "x");
    EXPECT_EQ(states(id), "c=FAILED d=SKIPPED");
    EXPECT_EQ(step(id, "c").error->code, "CHILD_JOB_FAILED");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobChild, ThatIsCancelledFailsItsStep) {
    const Uuid id = start_family();
    EXPECT_EQ(cancel_job(child_of(id)), SteerStatus::Applied);
    EXPECT_EQ(state(child_of(id)), JobState::Cancelled);
    EXPECT_EQ(states(id), "c=FAILED d=SKIPPED");
}

TEST_P(JobChild, IsCancelledWithItsParent) {
    const Uuid id = start_family();
    const auto lease = running(child_of(id), "x");
    EXPECT_EQ(cancel_job(id), SteerStatus::Applied);
    EXPECT_EQ(state(id), JobState::Running);
    EXPECT_TRUE(job(child_of(id)).cancel_requested);
    EXPECT_TRUE(record(*store, lease.task).cancel_requested);
    finish(*store, worker, ended(lease, core::LeaseEnd::Cancelled));
    EXPECT_EQ(state(child_of(id)), JobState::Cancelled);
    EXPECT_EQ(state(id), JobState::Cancelled);
    EXPECT_EQ(states(id), "c=CANCELLED d=CANCELLED");
}

TEST_P(JobChild, IsPausedAndResumedWithItsParent) {
    const Uuid id = start_family();
    EXPECT_EQ(pause(id), SteerStatus::Applied);
    EXPECT_EQ(state(child_of(id)), JobState::Paused);
    EXPECT_FALSE(can_be_claimed(child_of(id), "x"));
    EXPECT_EQ(resume(id), SteerStatus::Applied);
    complete(child_of(id), "x");
    complete(id, "d");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobChild, OfAChildPassesACrashUpToTheTop) {
    auto inner = a_flow({a_step("x")}, "inner");
    auto middle = a_flow({child_step("i", "inner")}, "middle");
    const Uuid id = start({a_flow({child_step("m", "middle")}), middle, inner});
    const Uuid child = child_of(id, "m");
    const Uuid grandchild = child_of(child, "i");
    EXPECT_EQ(job(grandchild).depth, 2);
    recover(*store, crash_verdict(running(grandchild, "x")));
    EXPECT_EQ(state(grandchild), JobState::Failed);
    EXPECT_EQ(state(child), JobState::Failed);
    EXPECT_EQ(state(id), JobState::Failed);
    EXPECT_THAT(job(id).error->message, HasSubstr("WORKER_CRASHED"));
}

TEST_P(JobChild, MayBeTenDeepAndNoDeeper) {
    std::vector<core::Workflow> flows;
    for (int depth = 0; depth < 12; ++depth)
        flows.push_back(a_flow({child_step("c", concat("w", depth + 1))}, concat("w", depth)));
    flows.push_back(a_flow({a_step("x")}, "w12"));
    const auto outcome = jobs->start_jobs({a_job(clock.now(), flows)}).at(0);
    if (outcome.status == store::SubmitStatus::Refused) return;  // its definition says so before it begins
    EXPECT_EQ(state(outcome.id), JobState::Failed);
    EXPECT_THAT(jobs->list_jobs({.with_children = true}), SizeIs(core::max_job_depth + 1));
}

TEST_P(JobChild, WithABadInputFailsItsStep) {
    auto child = a_flow({a_step("x")}, "child");
    core::InputField field;
    field.name = "size";
    field.required = true;
    child.input = {field};
    const Uuid id = start({a_flow({child_step("c", "child")}), child});
    EXPECT_EQ(step(id, "c").state, StepState::Failed);
    EXPECT_EQ(step(id, "c").error->code, "INPUT_INVALID");
}

TEST_P(JobChild, OfEachItemGivesItsOutputByIndex) {
    auto child = a_flow({a_step("x")}, "child");
    auto each = child_step("c", "child");
    each.for_each = nlohmann::json::array({1, 2});
    each.input = {{"n", "{{ item }}"}};
    const Uuid id = start({a_flow({each}), child});
    complete(child_of(id, "c[1]"), "x", "\"two\"");
    complete(child_of(id, "c[0]"), "x", "\"one\"");
    EXPECT_EQ(job(id).output, R"(["one","two"])");
    EXPECT_EQ(job(child_of(id, "c[1]")).parent_step, "c[1]");
}

}  // namespace
}  // namespace holdfast::contract
