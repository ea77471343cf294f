#include "core/expression/template.h"

#include <gmock/gmock.h>

#include "tests/unit/expression_scope.h"

namespace holdfast::core {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Template parsed(const json& value) {
    auto result = Template::parse(value);
    if (!result.ok()) throw std::runtime_error(result.error().front().error.message);
    return std::move(result).value();
}

json filled(const json& value) {
    auto result = parsed(value).fill(example_scope());
    if (!result.ok()) throw std::runtime_error(result.error().error.message);
    return std::move(result).value();
}

std::vector<TemplateError> faults(const json& value) {
    const auto result = Template::parse(value);
    return result.ok() ? std::vector<TemplateError>{} : result.error();
}

TEST(Template, ATextThatIsOneWholeExpressionKeepsTheTypeOfItsValue) {
    EXPECT_EQ(filled("{{ input.count }}").dump(), "3");
    EXPECT_EQ(filled("{{input.ratio}}").dump(), "0.5");
    EXPECT_EQ(filled("{{ input.flag }}").dump(), "true");
    EXPECT_EQ(filled("{{ input.none }}").dump(), "null");
    EXPECT_EQ(filled("{{ input.name }}").dump(), R"("Ada")");
    EXPECT_EQ(filled("{{ input.db }}").dump(), R"({"host":"db1","port":5432})");
    EXPECT_EQ(filled("{{ [1, input.list[1]] }}").dump(), R"([1,"two"])");
}

TEST(Template, InALongerTextTextsStandAsTheyAreAndTheRestAsJson) {
    EXPECT_EQ(filled("{{ input.name }}: {{ input.count }}/{{ input.none }}"), "Ada: 3/null");
    EXPECT_EQ(filled("{{ input.db }}{{ [ 'a' ] }}"), R"({"host":"db1","port":5432}["a"])");
    EXPECT_EQ(filled(" {{ input.count }}"), " 3");
    EXPECT_EQ(filled("{{ input.count }}\n"), "3\n");
    EXPECT_EQ(filled("größe {{ input['größe'] }} 🙂"), "größe 10 µm 🙂");
}

TEST(Template, BracesInQuotesAreText) {
    EXPECT_EQ(filled("{{ '}}' }}"), "}}");
    EXPECT_EQ(filled("a {{ '{{' }} b {{ \"\\\"}}\" }}"), "a {{ b \"}}");
    EXPECT_EQ(filled("} {x} }} { {"), "} {x} }} { {");
}

TEST(Template, FillsTheTextsOfAWholeValueAndNothingElse) {
    EXPECT_EQ(
        filled(json::parse(R"({"{{ key }}": "{{ item }}", "a/b": {"~": ["x", "{{ index }}", 7, null, true]}})")),
        json::parse(R"({"{{ key }}": "i1", "a/b": {"~": ["x", 4, 7, null, true]}})"));
    EXPECT_EQ(filled(json::parse(R"([[], {}, "", 1.5])")), json::parse(R"([[], {}, "", 1.5])"));
}

TEST(Template, WhatIsFilledInIsNotFilledAgain) {
    EXPECT_EQ(filled("{{ '{{ input.name }}' }}"), "{{ input.name }}");
}

TEST(Template, MayBeFilledAnyNumberOfTimes) {
    const Template greeting = parsed("Hello {{ item }}");
    EXPECT_EQ(greeting.fill(FixedScope({{"item", json("a")}})).value(), "Hello a");
    EXPECT_EQ(greeting.fill(FixedScope({{"item", json("b")}})).value(), "Hello b");
}

TEST(Template, IsConstantWithoutExpressions) {
    EXPECT_TRUE(parsed(json::parse(R"({"a": ["b", 1]})")).is_constant());
    EXPECT_TRUE(parsed("}} {").is_constant());
    EXPECT_FALSE(parsed(json::parse(R"({"a": ["b", "{{ 1 }}"]})")).is_constant());
}

TEST(Template, ReportsAllThatIsWrongWithTextAndPosition) {
    EXPECT_THAT(faults(json::parse(R"({"env": {"A/B": "x {{ 1 + }} {{ 2 2 }}", "C": "{{ input.x"},
                                       "list": ["ok {{ 1 }}", "{{}}"], "zero": "{{ 'a }}"})")),
                ElementsAre(TemplateError{"/env/A~1B", {9, "expected a value, not the end"}},
                            TemplateError{"/env/A~1B", {17, "expected an operator or the end, not 2"}},
                            TemplateError{"/env/C", {0, "this {{ has no }}"}},
                            TemplateError{"/list/1", {2, "expected an expression, as in {{ input.name }}"}},
                            TemplateError{"/zero", {3, "this text has no closing '"}}));
    EXPECT_THAT(faults("it's {{ it's }}"), ElementsAre(TemplateError{"", {10, "this text has no closing '"}}));
}

TEST(Template, AValueThatIsNotThereIsReportedWithTextAndPosition) {
    const auto result =
        parsed(json::parse(R"({"a": "{{ 1 }}", "b": ["x {{ item }} {{ input.db.name }}"]})")).fill(example_scope());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error(), (TemplateError{"/b/0", {25, "there is no input.db.name: input.db has host, port"}}));
    EXPECT_EQ(parsed("{{ nobody }}").fill(example_scope()).error(), (TemplateError{"", {3, "there is no nobody"}}));
}

TEST(Template, NamesItsReferencesWithTextAndPosition) {
    EXPECT_THAT(parsed(json::parse(R"({"a": "x {{ item }} {{ input.b }}", "c": ["{{ steps.d.output + index }}"]})"))
                    .references(),
                ElementsAre(Reference{{"item"}, 5, "/a"}, Reference{{"input", "b"}, 16, "/a"},
                            Reference{{"steps", "d", "output"}, 3, "/c/0"}, Reference{{"index"}, 20, "/c/0"}));
    EXPECT_THAT(parsed("x").references(), IsEmpty());
}

TEST(Template, ItsOwnNestingIsBounded) {
    json value = "{{ 1 }}";
    std::string path;
    for (std::size_t i = 0; i < Template::max_nesting; ++i) value = json::array({std::move(value)});
    EXPECT_TRUE(Template::parse(value).ok());
    for (std::size_t i = 0; i <= Template::max_nesting; ++i) path += "/0";
    EXPECT_THAT(faults(json::array({value})), ElementsAre(TemplateError{path, {0, "nested deeper than 64 levels"}}));
}

TEST(Template, WhatIsFilledInIsBoundedInAll) {
    const FixedScope scope({{"half", std::string(Expression::max_value_bytes / 2, 'x')}});
    const std::string complaint = "the filled-in text is larger than 1 MiB in all";
    EXPECT_TRUE(parsed({"{{ half }}", "{{ half }}"}).fill(scope).ok());
    EXPECT_EQ(parsed({"{{ half }}", "{{ half }}", "{{ 1 }}"}).fill(scope).error(),
              (TemplateError{"/2", {0, complaint}}));
    EXPECT_EQ(parsed("{{ half }} {{ half }}").fill(scope).error(), (TemplateError{"", {13, complaint}}));
}

}  // namespace
}  // namespace holdfast::core
