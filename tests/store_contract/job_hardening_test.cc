// Inputs and moments that would hurt most.
#include "base/ids.h"
#include "base/text.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

class JobHardening : public JobContract {};
HOLDFAST_FOR_EVERY_STORE(JobHardening);

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST_P(JobHardening, AResultThatIsNestedTooDeepFailsItsStepAndNobodyElse) {
    const Uuid id = start({a_step("a"), a_step("b")});
    complete(id, "a", nested(100'000));
    EXPECT_EQ(step(id, "a").state, StepState::Failed);
    EXPECT_EQ(step(id, "a").error->code, error_code::result_not_storable);
    complete(id, "b", nested(200));
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobHardening, AnInputThatIsNestedTooDeepIsRefused) {
    auto job = a_job(clock.now(), {a_flow({a_step("a")})}, R"({"x":)" + nested(1000) + "}");
    EXPECT_EQ(jobs->start_jobs({job}).at(0).status, SubmitStatus::Refused);
}

TEST_P(JobHardening, ANulByteInAnOutputReachesAnApprovalAsReadableText) {
    auto ask = approval_step("ask", "Go on with {{ steps.a.output }}?");
    ask.depends_on = {"a"};
    const Uuid id = start({a_step("a"), ask});
    complete(id, "a", R"("x\u0000y")");
    EXPECT_EQ(step(id, "ask").state, StepState::Running);
    EXPECT_EQ(jobs->decide_approval({id, "ask", true, "ann", ""}), store::DecideStatus::Applied);
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobHardening, ANulByteInAWaitFailsTheStepAndTimersGoOn) {
    auto pause = wait_step("pause", "{{ steps.a.output }}");
    pause.depends_on = {"a"};
    const Uuid id = start({a_step("a"), pause});
    const Uuid other = start({wait_step("nap", "10s")});
    complete(id, "a", R"("1\u00000s")");
    EXPECT_EQ(step(id, "pause").state, StepState::Failed);
    clock.advance(std::chrono::seconds(11));
    EXPECT_EQ(jobs->end_due_waits(100), 1U);
    EXPECT_EQ(state(other), JobState::Completed);
}

TEST_P(JobHardening, AChildThatBeginsInTheMomentThatPausesItsParentIsPausedToo) {
    auto bad = a_step("bad", {"a"});
    bad.input = "{{ steps.a.output.missing }}";
    auto flow = a_flow({a_step("a"), child_step("child", "inner", {"a"}), bad});
    flow.on_error = core::OnError::Pause;
    const Uuid id = start({flow, a_flow({a_step("x")}, "inner")});
    complete(id, "a", "{}");
    EXPECT_EQ(state(id), JobState::Paused);
    const auto children = jobs->list_jobs({.states = {}, .workflow = {}, .parent = id});
    ASSERT_EQ(children.size(), 1U);
    EXPECT_EQ(children[0].state, JobState::Paused);
    EXPECT_FALSE(can_be_claimed(children[0].id, "x"));
    resume(id);
    EXPECT_TRUE(can_be_claimed(children[0].id, "x"));
}

TEST_P(JobHardening, ACancelOfThousandsOfItemsInTurnIsQuick) {
    auto each = for_each_step("f", nlohmann::json(std::vector<int>(5000, 1)));
    each.sequential = true;
    const Uuid id = start({each});
    cancel_job(id);
    EXPECT_EQ(state(id), JobState::Cancelled);
}

TEST_P(JobHardening, ARetryWhoseListHasShrunkRunsTheNewList) {
    auto first = a_step("list");
    auto each = for_each_step("f", "{{ default(steps.list.output, ['only']) }}");
    each.depends_on = {"list"};
    each.allow_failed_deps = true;
    const Uuid id = start({first, each});
    complete(id, "list", "[1,2,3]");
    complete(id, "f[1]");
    complete(id, "f[2]");
    fail(id, "f[0]");
    ASSERT_EQ(state(id), JobState::Failed);
    const Uuid again = a_job(clock.now(), {a_flow({a_step("a")})}).id;
    ASSERT_EQ(jobs->retry_job({id, again, "ann"}), store::RetryStatus::Started);
    complete(again, "f[0]");
    EXPECT_EQ(state(again), JobState::Completed);
}

TEST_P(JobHardening, AJobPausedBeforeItsStartTimesOutOfTheQueue) {
    auto flow = a_flow({a_step("a")});
    flow.queue_timeout = std::chrono::seconds(10);
    const Uuid id = start({flow});
    pause(id);
    clock.advance(std::chrono::seconds(11));
    EXPECT_EQ(jobs->cancel_overdue_jobs(100, "sweeper"), 1U);
    EXPECT_EQ(job(id).error->code, error_code::queue_timeout);
}

TEST_P(JobHardening, NamesThatAreNoneAreNotFound) {
    const Uuid id = start({approval_step("ask", "?")});
    for (const char* name : {"ask[", "ask[]", "ask[x]", "ask[0", "[0]", "ask[-1]", "nobody"})
        EXPECT_EQ(jobs->decide_approval({id, name, true, "ann", ""}), store::DecideStatus::NotFound) << name;
}

TEST_P(JobHardening, AStepWhoseTaskHasTheIdOfAnotherFailsAndTheOtherJobsGoOn) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    const Uuid other = start({a_step("a"), a_step("b", {"a"})});
    const auto first = running(id, "a"), second = running(other, "a");
    auto taken = a_task(clock.now());
    taken.id = name_based_uuid(clock.now(), concat("task ", id.to_string(), " 1 -1"));  // what "b" would get
    ASSERT_EQ(store->submit({taken}).at(0).status, SubmitStatus::Accepted);
    const auto answer = store->turn({.worker = worker, .finish = {completed(first), completed(second)}});
    EXPECT_EQ(answer.finished.at(0).fenced, store::Fenced::Applied);
    EXPECT_EQ(answer.finished.at(1).fenced, store::Fenced::Applied);
    EXPECT_EQ(step(id, "b").state, StepState::Failed);
    EXPECT_EQ(step(id, "b").error->code, error_code::step_not_accepted);
    EXPECT_EQ(state(id), JobState::Failed);
    complete(other, "b");
    EXPECT_EQ(state(other), JobState::Completed);
}

}  // namespace
}  // namespace holdfast::contract
