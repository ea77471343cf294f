#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using nlohmann::json;

class JobItems : public JobContract {};
HOLDFAST_FOR_EVERY_STORE(JobItems);

TEST_P(JobItems, RunOnceForEachAndGiveTheirOutputsByIndex) {
    const Uuid id = start({for_each_step("f", {"x", "y", "z"})});
    EXPECT_EQ(claimed(id, "f[1]").task.args, "\"y\"");
    complete(id, "f[2]", "2");
    complete(id, "f[0]", "0");
    EXPECT_EQ(step(id, "f").state, StepState::Running);
    EXPECT_EQ(step(id, "f").items.completed, 2);
    EXPECT_EQ(step(id, "f").items.running, 1);
    complete(id, "f[1]", "1");
    EXPECT_EQ(step(id, "f").output, "[0,1,2]");
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_EQ(job(id).output, "[0,1,2]");
    EXPECT_EQ(job(id).steps.total(), 1);
}

TEST_P(JobItems, ComeFromAnExpression) {
    auto each = for_each_step("f", "{{ input.hosts }}");
    each.input = {{"host", "{{ item.name }}"}, {"number", "{{ index }}"}};
    const Uuid id = start({a_flow({each})}, R"({"hosts":[{"name":"ant"},{"name":"bee"}]})");
    EXPECT_EQ(json::parse(claimed(id, "f[1]").task.args), json({{"host", "bee"}, {"number", 1}}));
}

TEST_P(JobItems, OfAnEmptyListAreNone) {
    const Uuid id = start({for_each_step("f", json::array())});
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_EQ(step(id, "f").state, StepState::Completed);
    EXPECT_EQ(step(id, "f").output, "[]");
}

TEST_P(JobItems, OfWhatIsNoListFailTheStep) {
    const Uuid id = start({a_flow({for_each_step("f", "{{ input.hosts }}")})}, R"({"hosts":7})");
    EXPECT_EQ(step(id, "f").state, StepState::Failed);
    EXPECT_EQ(step(id, "f").error->code, "EXPRESSION_FAILED");
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobItems, AFailingOneFailsTheStepWhenAllHaveEnded) {
    auto flow = a_flow({for_each_step("f", {1, 2, 3}), a_step("g", {"f"})});
    flow.steps[1].allow_failed_deps = true;
    flow.steps[1].input = "{{ steps.f.output }}";
    const Uuid id = start({flow});
    fail(id, "f[1]", "BAD_LUCK");
    EXPECT_EQ(step(id, "f").state, StepState::Running);
    complete(id, "f[0]", "10");
    complete(id, "f[2]", "30");
    EXPECT_EQ(step(id, "f").state, StepState::Failed);
    EXPECT_EQ(step(id, "f").error->code, "ITEMS_FAILED");
    EXPECT_THAT(step(id, "f").error->message, HasSubstr("BAD_LUCK"));
    EXPECT_EQ(claimed(id, "g").task.args, "[10,null,30]");
}

TEST_P(JobItems, AreUnderWayUpToTheLimit) {
    auto each = for_each_step("f", {1, 2, 3, 4, 5});
    each.parallel = 2;
    const Uuid id = start({each});
    EXPECT_EQ(store->count().pending, 2);
    complete(id, "f[0]");
    EXPECT_EQ(step(id, "f[2]").state, StepState::Ready);
    EXPECT_EQ(step(id, "f[3]").state, StepState::Waiting);
    for (const auto* item : {"f[1]", "f[2]", "f[3]", "f[4]"}) complete(id, item);
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(JobItems, InSequenceAFailureSkipsTheRest) {
    auto each = for_each_step("f", {1, 2, 3});
    each.sequential = true;
    const Uuid id = start({each});
    EXPECT_EQ(store->count().pending, 1);
    complete(id, "f[0]");
    fail(id, "f[1]");
    EXPECT_EQ(step(id, "f[2]").state, StepState::Skipped);
    EXPECT_EQ(step(id, "f").state, StepState::Failed);
    EXPECT_EQ(state(id), JobState::Failed);
}

TEST_P(JobItems, CanBeLeftOutOfTheAnswer) {
    const Uuid id = start({for_each_step("f", {1, 2}), a_step("g")});
    EXPECT_THAT(jobs->steps({.job = id}), SizeIs(4));
    EXPECT_THAT(jobs->steps({.job = id, .with_items = false}), SizeIs(2));
    EXPECT_THAT(jobs->steps({.job = id, .step = "f"}), SizeIs(3));
    EXPECT_THAT(jobs->steps({.job = id, .step = "x"}), IsEmpty());
}

TEST_P(JobItems, ManyAreFinishedInOneBatch) {
    json list = json::array();
    for (int i = 0; i < 300; ++i) list.push_back(i);
    const Uuid id = start({for_each_step("f", list)});
    claim_all();
    store::TurnParams finish;
    finish.worker = worker;
    for (const auto& [task, held] : claimed_tasks) finish.finish.push_back(completed(lease_of(held), held.task.args));
    store->turn(finish);
    EXPECT_EQ(state(id), JobState::Completed);
    EXPECT_EQ(json::parse(job(id).output), list);
}

}  // namespace
}  // namespace holdfast::contract
