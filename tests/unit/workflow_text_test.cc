#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "core/workflow/workflow.h"

namespace holdfast::core {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

// ---- Any workflow, valid or not: the codec keeps what it is given -------------------------------

rc::Gen<std::string> any_text() {
    return rc::gen::resize(12, rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
}

rc::Gen<json> any_json() {
    return rc::gen::oneOf(
        rc::gen::just(json(nullptr)), rc::gen::map(rc::gen::arbitrary<int>(), [](int n) { return json(n); }),
        rc::gen::map(rc::gen::arbitrary<double>(), [](double n) { return json(n); }),
        rc::gen::map(any_text(), [](const std::string& text) { return json(text); }),
        rc::gen::map(rc::gen::container<std::map<std::string, int>>(any_text(), rc::gen::arbitrary<int>()),
                     [](const std::map<std::string, int>& object) { return json(object); }),
        rc::gen::map(rc::gen::container<std::vector<std::string>>(any_text()),
                     [](const std::vector<std::string>& list) { return json(list); }));
}

std::optional<json> maybe_json() {
    if (!*rc::gen::arbitrary<bool>()) return std::nullopt;
    return *any_json();
}

Duration any_length() {
    return Duration(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
}

std::vector<std::string> any_texts() {
    return *rc::gen::resize(5, rc::gen::container<std::vector<std::string>>(any_text()));
}

TaskPolicy any_policy() {
    TaskPolicy policy;
    policy.retry.max_attempts = *rc::gen::inRange(1, 10);
    policy.on_crash = *rc::gen::element(OnCrash::Fail, OnCrash::Requeue);
    policy.unmatched = *rc::gen::element(Unmatched::Fail, Unmatched::Wait, Unmatched::Auto);
    if (*rc::gen::arbitrary<bool>()) policy.timeout = std::chrono::milliseconds(*rc::gen::inRange(1, 1'000'000));
    return policy;
}

std::optional<TaskSpec> any_spec() {
    TaskSpec spec;
    spec.script = *rc::gen::nonEmpty(any_text());
    for (const std::string& value : any_texts()) spec.env["V" + std::to_string(spec.env.size())] = value;
    return *rc::gen::arbitrary<bool>() ? std::optional(spec) : std::nullopt;
}

WorkflowStep any_step() {
    WorkflowStep step;
    step.name = *any_text();
    step.kind = *rc::gen::element(StepKind::Task, StepKind::Workflow, StepKind::Approval, StepKind::Wait);
    step.task = *any_text();
    step.spec = any_spec();
    step.spec_reads_args = *rc::gen::arbitrary<bool>();
    step.env["A"] = *any_text();
    step.workflow = *any_text();
    step.message = *any_text();
    step.wait_for = *any_text();
    step.wait_until = *any_text();
    step.input = *any_json();
    step.depends_on = any_texts();
    step.join = *rc::gen::element(Join{}, Join{JoinKind::Any, 0}, Join{JoinKind::Quorum, 3});
    step.allow_failed_deps = *rc::gen::arbitrary<bool>();
    step.when = *any_text();
    step.for_each = maybe_json();
    step.parallel = *rc::gen::arbitrary<int>();
    step.sequential = *rc::gen::arbitrary<bool>();
    step.queue = *any_text();
    step.priority = *rc::gen::arbitrary<int>();
    step.tags = any_texts();
    step.policy = any_policy();
    step.concurrency_key = *any_text();
    step.concurrency_limit = *rc::gen::arbitrary<int>();
    step.key_reads_args = *rc::gen::arbitrary<bool>();
    return step;
}

InputField any_field() {
    InputField field;
    field.name = *any_text();
    field.type = *rc::gen::element(InputType::Any, InputType::Text, InputType::Number, InputType::Integer,
                                   InputType::Boolean, InputType::List, InputType::Object);
    field.required = *rc::gen::arbitrary<bool>();
    field.default_value = maybe_json();
    field.allowed = *rc::gen::container<std::vector<json>>(any_json());
    field.description = *any_text();
    return field;
}

template <typename Item>
std::vector<Item> some(Item (*make)()) {
    std::vector<Item> items;
    for (int count = *rc::gen::inRange(0, 3); count > 0; --count) items.push_back(make());
    return items;
}

Workflow any_workflow() {
    Workflow workflow;
    workflow.name = *any_text();
    workflow.description = *any_text();
    workflow.input = some(any_field);
    workflow.steps = some(any_step);
    workflow.output = *any_json();
    if (*rc::gen::arbitrary<bool>()) workflow.timeout = any_length();
    if (*rc::gen::arbitrary<bool>()) workflow.queue_timeout = any_length();
    workflow.on_error = *rc::gen::element(OnError::Fail, OnError::Pause, OnError::Continue);
    workflow.success = some(any_texts);
    workflow.optional = any_texts();
    workflow.on_success = some(any_step);
    workflow.on_failure = some(any_step);
    workflow.on_cancel = some(any_step);
    return workflow;
}

RC_GTEST_PROP(WorkflowText, IsReadBackAsItWasWritten, ()) {
    WorkflowBundle bundle;
    bundle.main = *any_text();
    bundle.workflows[bundle.main] = any_workflow();
    bundle.workflows[*any_text()] = any_workflow();
    const std::string text = to_json_text(bundle);
    const auto read = parse_workflow_bundle(text);
    RC_ASSERT(read.ok());
    RC_ASSERT(read.value() == bundle);
    RC_ASSERT(to_json_text(read.value()) == text);
}

RC_GTEST_PROP(WorkflowText, AnyOtherTextIsRefusedInASentence, ()) {
    const auto read = parse_workflow_bundle(*any_text());
    RC_ASSERT(!read.ok());
    RC_ASSERT(read.error().starts_with("a workflow's definition must be"));
}

// ---- The form -----------------------------------------------------------------------------------

Workflow small() {
    Workflow workflow;
    workflow.name = "nightly";
    workflow.steps.resize(2);
    workflow.steps[0].name = "fetch";
    workflow.steps[0].task = "fetch";
    workflow.steps[1].name = "ok";
    workflow.steps[1].kind = StepKind::Approval;
    workflow.steps[1].message = "Go?";
    workflow.steps[1].depends_on = {"fetch"};
    workflow.timeout = 90min;
    return workflow;
}

TEST(WorkflowText, HoldsOnlyWhatDiffersFromTheDefaults) {
    const WorkflowBundle bundle{"nightly", {{"nightly", small()}}};
    EXPECT_EQ(to_json_text(bundle), R"({"main":"nightly","workflows":{"nightly":{"name":"nightly","steps":[)"
                                    R"({"name":"fetch","task":"fetch"},)"
                                    R"({"depends_on":["fetch"],"kind":"approval","message":"Go?","name":"ok"}],)"
                                    R"("timeout":"1h30m"}}})");
}

TEST(WorkflowText, TellsADefaultOfNullFromNone) {
    Workflow with = small();
    with.input = {{.name = "x", .default_value = json(nullptr)}};
    Workflow without = with;
    without.input[0].default_value.reset();
    const WorkflowBundle first{"nightly", {{"nightly", with}}}, second{"nightly", {{"nightly", without}}};
    EXPECT_NE(to_json_text(first), to_json_text(second));
    EXPECT_EQ(parse_workflow_bundle(to_json_text(first))->workflows, first.workflows);
    EXPECT_EQ(parse_workflow_bundle(to_json_text(second))->workflows, second.workflows);
}

TEST(WorkflowText, SaysWhatCannotBeRead) {
    const auto error = [](const std::string& workflow) {
        return parse_workflow_bundle(R"({"main":"a","workflows":{"a":)" + workflow + "}}").error();
    };
    EXPECT_THAT(error("7"), HasSubstr("workflow \"a\": must be an object, not 7"));
    EXPECT_THAT(error(R"({"stepz":[]})"), HasSubstr("has the unknown key \"stepz\""));
    EXPECT_THAT(error(R"({"steps":[{"kind":"dance"}]})"), HasSubstr("steps [0] kind must be"));
    EXPECT_THAT(error(R"({"steps":[{"parallel":1e99}]})"), HasSubstr("parallel must be a whole number"));
    EXPECT_THAT(error(R"({"steps":[{"policy":{"max_attempts":0}}]})"), HasSubstr("policy cannot be read"));
    EXPECT_THAT(error(R"({"steps":[{"spec":{"type":"docker"}}]})"), HasSubstr("spec cannot be read: image"));
    EXPECT_THAT(error(R"({"timeout":"soon"})"), HasSubstr("timeout must be a duration"));
    EXPECT_THAT(parse_workflow_bundle(R"({"main":"b","workflows":{}})").error(), HasSubstr("has no workflow \"b\""));
}

TEST(WorkflowBundle, HoldsWhatTheMainOneStartsDirectlyOrNotAndNothingElse) {
    const auto starting = [](const std::vector<std::string>& children) {
        Workflow workflow;
        for (const std::string& child : children)
            workflow.steps.push_back({.name = "to_" + child, .kind = StepKind::Workflow, .workflow = child});
        return workflow;
    };
    const std::map<std::string, Workflow> all{
        {"a", starting({"b", "gone"})}, {"b", starting({"c", "b"})}, {"c", starting({})}, {"d", starting({"a"})}};
    const WorkflowBundle bundle = bundle_of("a", all);
    EXPECT_EQ(bundle.main, "a");
    EXPECT_EQ(bundle.workflows,
              (std::map<std::string, Workflow>{{"a", all.at("a")}, {"b", all.at("b")}, {"c", all.at("c")}}));
}

}  // namespace
}  // namespace holdfast::core
