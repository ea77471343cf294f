#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using store::SubmitStatus;

class JobStart : public JobContract {};
HOLDFAST_FOR_EVERY_STORE(JobStart);

TEST_P(JobStart, SubmitsTheTasksOfStepsWithoutDependenciesAndNoOthers) {
    const Uuid id = start({a_step("a"), a_step("b"), a_step("c", {"a"})});
    EXPECT_EQ(states(id), "a=READY b=READY c=WAITING");
    EXPECT_EQ(store->count().pending, 2);
    EXPECT_EQ(state(id), JobState::Pending);
}

TEST_P(JobStart, TheJobRunsFromTheStartOfItsFirstTaskOn) {
    const Uuid id = start({a_step("a"), a_step("b")});
    clock.advance(5s);
    const auto answer = claim(*store, worker, 0, 2);
    EXPECT_EQ(state(id), JobState::Pending);
    clock.advance(5s);
    store->turn({.worker = worker, .start = {lease_of(answer.tasks.at(0))}});
    EXPECT_EQ(state(id), JobState::Running);
    EXPECT_EQ(job(id).started_at, clock.now());
    EXPECT_EQ(job(id).created_at, clock.now() - 10s);
}

TEST_P(JobStart, AClaimThatStartsRunsTheJob) {
    const Uuid id = start({a_step("a")});
    claim_all();
    EXPECT_EQ(state(id), JobState::Running);
    EXPECT_EQ(states(id), "a=RUNNING");
}

TEST_P(JobStart, AStartThatRidesWithAFinishRunsTheJob) {
    submit(with_priority(a_task(clock.now()), 1));
    const auto plain = claim_one(worker);
    const Uuid id = start({a_step("a")});
    const auto held = hold_one(worker);
    store->turn({.worker = worker, .finish = {completed(plain)}, .start = {held}});
    EXPECT_EQ(state(id), JobState::Running);
}

TEST_P(JobStart, TheSameAgainIsTheSameJob) {
    const auto given = a_job(clock.now(), {a_flow({a_step("a")})});
    EXPECT_EQ(jobs->start_jobs({given}).at(0).status, SubmitStatus::Accepted);
    EXPECT_EQ(jobs->start_jobs({given}).at(0).status, SubmitStatus::Existing);
    EXPECT_EQ(store->count().pending, 1);
}

TEST_P(JobStart, TheInputIsKeptAsItIsWrittenAndComparedAsJson) {
    auto given = a_job(clock.now(), {a_flow({a_step("a")})});
    given.input = R"({ "n": 123456789012345678901234567890, "x":0.1000000000000000055 })";
    EXPECT_EQ(jobs->start_jobs({given}).at(0).status, SubmitStatus::Accepted);
    EXPECT_EQ(job(given.id).input, given.input);
    auto again = given;
    again.input = R"({"x":1000000000000000055e-19,"n":123456789012345678901234567890})";
    EXPECT_EQ(jobs->start_jobs({again}).at(0).status, SubmitStatus::Existing);
    again.input = R"({"x":0.1,"n":123456789012345678901234567890})";
    EXPECT_EQ(jobs->start_jobs({again}).at(0).status, SubmitStatus::PayloadMismatch);
}

TEST_P(JobStart, RefusesInputsThatSayAThingTwiceAndIdsFromTheFuture) {
    const auto complaint = [&](const auto& spoil) {
        auto given = a_job(clock.now(), {a_flow({a_step("a")})});
        spoil(given);
        const auto outcome = jobs->start_jobs({given}).at(0);
        EXPECT_EQ(outcome.status, SubmitStatus::Refused);
        return outcome.complaint;
    };
    using Job = store::NewJob;
    EXPECT_THAT(complaint([](Job& job) { job.input = R"({"a": 1, "a": 2})"; }),
                HasSubstr("the input.a is given twice"));
    EXPECT_THAT(complaint([](Job& job) { job.input = R"({"a": 1e999})"; }), HasSubstr("the input.a is a number"));
    EXPECT_THAT(complaint([&](Job& job) { job.id = new_task_id(clock.now() + 2h); }), HasSubstr("in the future"));
    EXPECT_THAT(complaint([&](Job& job) { job.id = random_uuid(); }), HasSubstr("not a UUIDv7"));
    EXPECT_EQ(store->count().pending, 0);
}

TEST_P(JobStart, AnotherInputOrDefinitionUnderTheSameIdIsAMismatch) {
    auto given = a_job(clock.now(), {a_flow({a_step("a")})});
    jobs->start_jobs({given});
    auto other = given;
    other.input = R"({"x":1})";
    EXPECT_EQ(jobs->start_jobs({other}).at(0).status, SubmitStatus::PayloadMismatch);
    other = a_job(clock.now(), {a_flow({a_step("b")})});
    other.id = given.id;
    EXPECT_EQ(jobs->start_jobs({other}).at(0).status, SubmitStatus::PayloadMismatch);
    EXPECT_EQ(states(given.id), "a=READY");
}

TEST_P(JobStart, RefusesWhatCannotBeAJobAndStartsTheOthersOfTheBatch) {
    auto no_json = a_job(clock.now(), {a_flow({a_step("a")})}, "{");
    auto no_definition = a_job(clock.now(), {a_flow({a_step("a")})});
    no_definition.definition = R"({"main":"x"})";
    auto no_id = a_job(clock.now(), {a_flow({a_step("a")})});
    no_id.id = {};
    auto large = a_job(clock.now(), {a_flow({a_step("a")})}, '"' + std::string(2 << 20, 'x') + '"');
    const auto good = a_job(clock.now(), {a_flow({a_step("a")})});
    const auto outcomes = jobs->start_jobs({no_json, no_definition, no_id, large, good});
    ASSERT_THAT(outcomes, SizeIs(5));
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].status, SubmitStatus::Refused) << i;
        EXPECT_NE(outcomes[static_cast<std::size_t>(i)].complaint, "") << i;
    }
    EXPECT_EQ(outcomes[4].status, SubmitStatus::Accepted);
    EXPECT_EQ(store->count().pending, 1);
}

TEST_P(JobStart, RefusesAnInputThatItsWorkflowDoesNotAllow) {
    auto flow = a_flow({a_step("a")});
    core::InputField field;
    field.name = "size";
    field.type = core::InputType::Integer;
    field.required = true;
    flow.input = {field};
    const auto outcome = jobs->start_jobs({a_job(clock.now(), {flow}, R"({"size":"big"})")}).at(0);
    EXPECT_EQ(outcome.status, SubmitStatus::Refused);
    EXPECT_THAT(outcome.complaint, HasSubstr("size"));
}

TEST_P(JobStart, AnIdThatIsOlderThanRetentionIsTooOld) {
    auto given = a_job(clock.now() - std::chrono::hours(24 * 40), {a_flow({a_step("a")})});
    EXPECT_EQ(jobs->start_jobs({given}).at(0).status, SubmitStatus::TooOld);
}

TEST_P(JobStart, RefusesAWorkflowWithoutSteps) {
    const auto outcome = jobs->start_jobs({a_job(clock.now(), {a_flow({})})}).at(0);
    EXPECT_EQ(outcome.status, SubmitStatus::Refused);
    EXPECT_THAT(outcome.complaint, HasSubstr("no steps"));
}

TEST_P(JobStart, DefaultsOfTheInputAreFilledIn) {
    auto flow = a_flow({a_step("a")});
    core::InputField field;
    field.name = "size";
    field.default_value = 3;
    flow.input = {field};
    const Uuid id = start({flow});
    EXPECT_EQ(job(id).input, R"({"size":3})");
}

TEST_P(JobStart, JobsAreListedNewestFirstPageByPageAndByState) {
    std::vector<Uuid> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(start({a_step("a")}));
    complete(ids[1], "a");
    const auto listed = [&](const JobQuery& query) {
        std::vector<Uuid> found;
        for (const auto& info : jobs->list_jobs(query)) found.push_back(info.id);
        return found;
    };
    EXPECT_THAT(listed({.limit = 2}), ElementsAre(ids[4], ids[3]));
    EXPECT_THAT(listed({.after = ids[3], .limit = 2}), ElementsAre(ids[2], ids[1]));
    EXPECT_THAT(listed({.states = {JobState::Completed}}), ElementsAre(ids[1]));
    EXPECT_THAT(listed({.states = {JobState::Running}}), ElementsAre(ids[4], ids[3], ids[2], ids[0]));
    EXPECT_THAT(listed({.workflow = "other"}), IsEmpty());
    EXPECT_THAT(listed({.workflow = "flow"}), SizeIs(5));
}

TEST_P(JobStart, JobsAreFoundByIdAndByItsBeginning) {
    const auto given = a_job(clock.now(), {a_flow({a_step("a")})});
    jobs->start_jobs({given});
    EXPECT_THAT(jobs->jobs_with_prefix(given.id.to_string().substr(0, 13), 10), ElementsAre(given.id));
    EXPECT_THAT(jobs->jobs_with_prefix("ffff", 10), IsEmpty());
    EXPECT_EQ(jobs->job_definition(given.id), given.definition);
    EXPECT_EQ(jobs->job_definition(random_uuid()), "");
    EXPECT_FALSE(jobs->find_jobs({random_uuid()}).at(0).has_value());
    EXPECT_THAT(jobs->steps({.job = random_uuid()}), IsEmpty());
}

TEST_P(JobStart, ATaskKnowsItsStep) {
    const Uuid id = start({a_step("a")});
    const auto owner = jobs->step_of_task(step(id, "a").task);
    ASSERT_TRUE(owner.has_value());
    EXPECT_EQ(owner->first, id);
    EXPECT_EQ(owner->second, "a");
    EXPECT_FALSE(jobs->step_of_task(submit()).has_value());
}

TEST_P(JobStart, TheCountsSayWhereTheStepsAre) {
    const Uuid id = start({a_step("a"), a_step("b"), a_step("c", {"a"})});
    const auto held = claim(*store, worker, 1);
    StepCounts counts;
    counts.waiting = 1;
    counts.ready = 1;
    counts.running = 1;
    EXPECT_EQ(job(id).steps, counts);
}

}  // namespace
}  // namespace holdfast::contract
