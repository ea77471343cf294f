#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "core/expression/template.h"
#include "tests/unit/expression_scope.h"

namespace holdfast::core {
namespace {

using nlohmann::json;

constexpr std::size_t limit = Expression::max_nesting;
constexpr std::size_t mebibyte = Expression::max_value_bytes;

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

Result<json, ExpressionError> evaluated(const std::string& text, const FixedScope& scope) {
    const auto expression = Expression::parse(text);
    if (!expression.ok()) return Failure{expression.error()};
    return expression->evaluate(scope);
}

json list_of_depth(std::size_t depth) {
    json value = 1;
    for (std::size_t i = 0; i < depth; ++i) value = json::array({std::move(value)});
    return value;
}

struct Bomb {
    std::string open;
    std::string inside;
    std::string close;
};
const Bomb bombs[] = {{"(", "1", ")"}, {"[", "1", "]"},           {"len(", "[]", ")"},     {"not ", "1", ""},
                      {"- ", "1", ""}, {"default(x, ", "1", ")"}, {"not (- [", "1", "])"}, {"1 + (2 * ", "1", ")"}};

TEST(ExpressionLimits, NestingIsBoundedInEveryForm) {
    for (const auto& [open, inside, close] : bombs)
        for (const std::size_t depth : {limit + 1, std::size_t{5000}}) {
            const auto bomb = Expression::parse(repeated(open, depth) + inside + repeated(close, depth));
            ASSERT_FALSE(bomb.ok()) << open;
            EXPECT_EQ(bomb.error().message, "nested deeper than 64 levels") << open;
            EXPECT_LE(bomb.error().position, (limit + 1) * open.size()) << open;
        }
}

TEST(ExpressionLimits, NestingUpToTheBoundIsRead) {
    EXPECT_EQ(evaluated(repeated("(", limit - 1) + "7" + repeated(")", limit - 1), example_scope()).value(), 7);
    EXPECT_EQ(evaluated(repeated("[", limit - 1) + "1" + repeated("]", limit - 1), example_scope()).value(),
              list_of_depth(limit - 1));
}

TEST(ExpressionLimits, UnclosedBombsAreRefusedToo) {
    for (const auto& bomb : bombs) EXPECT_FALSE(Expression::parse(repeated(bomb.open, 5000)).ok()) << bomb.open;
}

TEST(ExpressionLimits, ALongChainIsNotDeep) {
    EXPECT_EQ(evaluated("0" + repeated("+1", 30000), example_scope()).value(), 30000);
    EXPECT_EQ(evaluated("1" + repeated(" and 1", 10000), example_scope()).value(), true);
    EXPECT_EQ(evaluated("[0" + repeated(",1", 30000) + "]", example_scope()).value().size(), 30001U);
}

TEST(ExpressionLimits, TextIsBounded) {
    const std::string longest = "1" + std::string(Expression::max_text_bytes - 1, ' ');
    EXPECT_TRUE(Expression::parse(longest).ok());
    const auto longer = Expression::parse(longest + " ");
    ASSERT_FALSE(longer.ok());
    EXPECT_EQ(longer.error(), (ExpressionError{65536, "an expression has at most 65536 bytes, not 65537"}));
}

TEST(ExpressionLimits, ValuesAreBounded) {
    const FixedScope scope({{"half", std::string(mebibyte / 2, 'x')},
                            {"many", json::array_t(1000, 1)},
                            {"controls", std::string(mebibyte / 2, '\x01')},
                            {"large", {{"all", std::string(mebibyte + 1, 'x')}, {"url", "u"}}}});
    const std::string complaint = "the value is larger than 1 MiB";
    EXPECT_EQ(evaluated("len(half + half)", scope).value(), mebibyte);
    EXPECT_EQ(evaluated("large.url", scope).value(), "u") << "only what is handled counts";
    for (const auto& [text, position] : std::map<std::string, std::size_t>{{"half + half + '+'", 12},
                                                                           {"1 == large", 5},
                                                                           {"len(large.all)", 4},
                                                                           {"default(large, 1)", 0},
                                                                           {"[half, half, half, nobody]", 0},
                                                                           {"len([[half], [half]])", 4},
                                                                           {"join(many, half)", 0},
                                                                           {"json(controls)", 0}}) {
        const auto value = evaluated(text, scope);
        ASSERT_FALSE(value.ok()) << text;
        EXPECT_EQ(value.error(), (ExpressionError{position, complaint})) << text;
    }
}

TEST(ExpressionLimits, ValuesThatAreTooDeepAreNotHandled) {
    const FixedScope scope({{"deepest", list_of_depth(256)}, {"deeper", list_of_depth(257)}});
    EXPECT_EQ(evaluated("deepest == deepest", scope).value(), true);
    for (const auto& [text, position] :
         std::map<std::string, std::size_t>{{"json(deeper)", 5}, {"[deepest]", 0}, {"default(deeper, 1)", 0}}) {
        const auto value = evaluated(text, scope);
        ASSERT_FALSE(value.ok()) << text;
        EXPECT_EQ(value.error(), (ExpressionError{position, "the value is nested deeper than 256 levels"})) << text;
    }
}

// ---- Whatever the text -------------------------------------------------------------------------------------------

void expect_sane(const std::string& text) {
    const auto expression = Expression::parse(text);
    if (!expression.ok()) {
        RC_ASSERT(expression.error().position <= text.size());
        RC_ASSERT(!expression.error().message.empty());
        return;
    }
    for (const Reference& reference : expression->references()) RC_ASSERT(reference.position < text.size());
    const auto value = expression->evaluate(example_scope());
    if (!value.ok()) RC_ASSERT(value.error().position < text.size());
}

RC_GTEST_PROP(ExpressionLimits, AnyBytesAreReadOrRefused, (const std::string& text)) {
    expect_sane(text);
}

RC_GTEST_PROP(ExpressionLimits, AnyWordsAreReadOrRefused, ()) {
    const std::vector<std::string> words = {"1",
                                            "0",
                                            "-9223372036854775808",
                                            "1.5",
                                            "'a'",
                                            "\"ä\"",
                                            "true",
                                            "null",
                                            "input",
                                            ".db",
                                            ".list",
                                            "[0]",
                                            "['x']",
                                            "steps.fetch.output",
                                            "index",
                                            "and",
                                            "or",
                                            "not",
                                            "==",
                                            "!=",
                                            "<",
                                            ">=",
                                            "+",
                                            "-",
                                            "*",
                                            "/",
                                            "%",
                                            "(",
                                            ")",
                                            "[",
                                            "]",
                                            ",",
                                            "len(",
                                            "contains(",
                                            "json(",
                                            "join(",
                                            "default(",
                                            " "};
    std::string text;
    for (const std::string& word : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words)))
        text += word + " ";
    expect_sane(text);
}

RC_GTEST_PROP(ExpressionLimits, AnyTemplateIsReadOrRefused, (const std::string& before, const std::string& after)) {
    const auto parsed = Template::parse({{"a", before + "{{ " + after}, {"b", "{{ input.count }}" + after}});
    if (!parsed.ok())
        RC_ASSERT(!parsed.error().empty());
    else
        (void)parsed->fill(example_scope());
}

RC_GTEST_PROP(ExpressionLimits, SumsAreThoseOfTheMachine, (std::int32_t left, std::int32_t right)) {
    const auto sum = evaluated(concat(left, " + ", right, " * 2"), example_scope());
    RC_ASSERT(sum.value() == std::int64_t{left} + std::int64_t{right} * 2);
}

}  // namespace
}  // namespace holdfast::core
