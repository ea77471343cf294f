#include "core/workflow/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::core {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

Workflow workflow_with_input() {
    Workflow workflow;
    workflow.input = {
        {.name = "day", .type = InputType::Text, .required = true},
        {.name = "mode", .type = InputType::Text, .default_value = json("full"), .allowed = {"full", "quick"}},
        {.name = "count", .type = InputType::Integer},
    };
    return workflow;
}

TEST(WorkflowInputText, StaysAsItIsWrittenAndGetsTheDefaults) {
    const std::string digits = R"({ "n": 123456789012345678901234567890, "x":0.1000000000000000055 })";
    EXPECT_EQ(checked_input_text(Workflow(), digits).value(), digits);
    EXPECT_EQ(checked_input_text(Workflow(), "null").value(), "{}");
    EXPECT_EQ(checked_input_text(workflow_with_input(), R"({ "day" : "mon\u0064ay" })").value(),
              R"({"day":"mon\u0064ay","mode":"full"})");
    EXPECT_FALSE(checked_input_text(workflow_with_input(), R"({"mode": "slow"})").ok());
}

TEST(WorkflowInput, IsAnyObjectWithoutASchema) {
    const json input{{"a", {1, 2}}};
    EXPECT_EQ(checked_input(Workflow(), input).value(), input);
    EXPECT_EQ(checked_input(Workflow(), nullptr).value(), json::object());
    for (const json& other : {json(7), json("x"), json::array()})
        EXPECT_THAT(checked_input(Workflow(), other).error(),
                    ElementsAre("the input must be an object, not " + other.dump()));
}

TEST(WorkflowInput, IsFilledWithTheDefaults) {
    EXPECT_EQ(checked_input(workflow_with_input(), {{"day", "monday"}}).value(),
              json({{"day", "monday"}, {"mode", "full"}}));
    EXPECT_EQ(checked_input(workflow_with_input(), {{"day", "monday"}, {"mode", "quick"}, {"count", 3}}).value(),
              json({{"day", "monday"}, {"mode", "quick"}, {"count", 3}}));
}

TEST(WorkflowInput, IsToldEverythingThatIsWrongAtOnce) {
    EXPECT_THAT(
        checked_input(workflow_with_input(), {{"mode", "slow"}, {"count", 1.5}, {"dya", "monday"}, {"zzz", 1}})
            .error(),
        ElementsAre("\"day\" is missing: it is required", "\"mode\" must be one of \"full\", \"quick\", not \"slow\"",
                    "\"count\" must be a whole number, not 1.5",
                    "\"dya\" is not an input of this workflow; did you mean \"day\"?",
                    "\"zzz\" is not an input of this workflow; it takes day, mode, count"));
}

TEST(WorkflowInput, HasTheTypeThatItsFieldSays) {
    const std::map<InputType, json> examples{
        {InputType::Text, "x"},     {InputType::Number, 1.5},  {InputType::Integer, 1},
        {InputType::Boolean, true}, {InputType::List, {1, 2}}, {InputType::Object, {{"a", 1}}},
    };
    for (const auto& [type, ignored] : examples)
        for (const auto& [other, value] : examples) {
            const bool fits = type == other || (type == InputType::Number && other == InputType::Integer);
            EXPECT_EQ(!misfit({.name = "x", .type = type}, value).has_value(), fits)
                << word_of(type) << " " << value.dump();
        }
    for (const auto& [type, value] : examples) {
        EXPECT_EQ(misfit({.name = "x"}, value), std::nullopt);
        EXPECT_NE(misfit({.name = "x", .type = type}, nullptr), std::nullopt);
    }
}

}  // namespace
}  // namespace holdfast::core
