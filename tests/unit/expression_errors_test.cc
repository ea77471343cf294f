#include <gmock/gmock.h>

#include "tests/unit/expression_scope.h"

namespace holdfast::core {
namespace {

struct Fault {
    std::string text;
    std::size_t position;
    std::string message;
};

void expect_refused(const std::vector<Fault>& faults) {
    for (const auto& [text, position, message] : faults) {
        const auto expression = Expression::parse(text);
        ASSERT_FALSE(expression.ok()) << text;
        EXPECT_EQ(expression.error().message, message) << text;
        EXPECT_EQ(expression.error().position, position) << text;
    }
}

void expect_failing(const std::vector<Fault>& faults) {
    for (const auto& [text, position, message] : faults) {
        const auto expression = Expression::parse(text);
        ASSERT_TRUE(expression.ok()) << text << ": " << expression.error().message;
        const auto value = expression->evaluate(example_scope());
        ASSERT_FALSE(value.ok()) << text << ": " << *value;
        EXPECT_EQ(value.error().message, message) << text;
        EXPECT_EQ(value.error().position, position) << text;
    }
}

TEST(ExpressionErrors, WhatIsMissingOrTooMuchIsNamedWhereItShouldStand) {
    expect_refused({
        {"", 0, "expected an expression, as in {{ input.name }}"},
        {"  ", 2, "expected an expression, as in {{ input.name }}"},
        {"1 +", 3, "expected a value, not the end"},
        {"1 + * 2", 4, "expected a value, not *"},
        {"and 1", 0, "expected a value, not and"},
        {"1 and or", 6, "expected a value, not or"},
        {"1 + not true", 4, "expected a value, not not"},
        {"not", 3, "expected a value, not the end"},
        {"-", 1, "expected a value, not the end"},
        {"1 2", 2, "expected an operator or the end, not 2"},
        {"1x", 1, "expected an operator or the end, not x"},
        {"input.a 'b'", 8, "expected an operator or the end, not a text"},
        {"1 .a", 3, "expected an operator or the end, not .a"},
        {"'a'[0]", 3, "expected an operator or the end, not ["},
        {"(1", 2, "expected an operator or ), not the end"},
        {"(1, 2)", 2, "expected an operator or ), not ,"},
        {"()", 1, "expected a value, not )"},
        {"1)", 1, "expected an operator or the end, not )"},
        {"[1", 2, "expected an operator, a comma or ], not the end"},
        {"[1 2]", 3, "expected an operator, a comma or ], not 2"},
        {"[1,]", 3, "expected a value, not ]"},
        {"1 < 2 < 3", 6, "comparisons do not follow one another; join them with and"},
        {"1 == 2 == 3", 7, "comparisons do not follow one another; join them with and"},
    });
}

TEST(ExpressionErrors, PathsAreWellFormed) {
    constexpr auto index = "expected a name in quotes or a whole number from 0, not ";
    constexpr auto dot = ". is not of this language; a dot stands between a name and a member: input.name";
    constexpr auto step = "expected a step and what of it is wanted, as in steps.NAME.output";
    expect_refused({
        {"input.", 5, dot},
        {"input..a", 5, dot},
        {"input. a", 5, dot},
        {".a", 1, "expected a value, not .a"},
        {"input.-a", 5, dot},
        {"input[", 6, concat(index, "the end")},
        {"input[]", 6, concat(index, "]")},
        {"input[index]", 6, concat(index, "index")},
        {"input[-1]", 6, concat(index, "-")},
        {"input[1.5]", 6, concat(index, "1.5")},
        {"input[0", 7, "expected ], not the end"},
        {"input['a' 'b']", 10, "expected ], not a text"},
        {"1 + steps", 4, step},
        {"steps.fetch", 0, step},
        {"steps[0].output", 0, step},
        {"steps.fetch[0]", 0, step},
    });
}

TEST(ExpressionErrors, TextsAndNumbersAreWellFormed) {
    constexpr auto escape = R"(expected \\, \', \", \n, \r or \t; for the backslash itself write \\)";
    constexpr auto number = "this number is too large or too fine to be held";
    expect_refused({
        {"1 + 'abc", 4, "this text has no closing '"},
        {R"("abc')", 0, "this text has no closing \""},
        {R"('abc\')", 0, "this text has no closing '"},
        {R"('abc\)", 0, "this text has no closing '"},
        {R"('C:\dir')", 3, escape},
        {R"('\u0041')", 1, escape},
        {"1 + '\xff'", 4, "this text is not valid UTF-8 at offset 0"},
        {std::string("'a\0b'", 5), 0, "this text contains a NUL byte at offset 1"},
        {"18446744073709551616", 0, number},
        {"1 + 1e999", 4, number},
        {"1e-999", 0, number},
        {std::string(1000, '9'), 0, number},
    });
}

TEST(ExpressionErrors, OtherLanguagesAreTranslated) {
    constexpr auto unknown =
        "this character has no meaning here; a name other than letters, digits, _ and - is written in quotes: "
        "input['...']";
    expect_refused({
        {"1 && 2", 2, "&& is not of this language; write and"},
        {"1 || 2", 2, "|| is not of this language; write or"},
        {"!true", 0, "! is not of this language; write not"},
        {"1 = 2", 2, "= is not of this language; write == to compare"},
        {"input.a ?? 1", 8, "?? is not of this language; write default(PATH, FALLBACK)"},
        {"true ? 1", 5, "? is not of this language; there is no conditional"},
        {"input.a | upper", 8, "| is not of this language; there are no filters; write a function: len(input.list)"},
        {"$x", 0, "the character $ has no meaning here"},
        {"{}", 0, "the character { has no meaning here"},
        {"1 & 2", 2, "the character & has no meaning here"},
        {"input.größe", 8, unknown},
        {"\x01", 0, unknown},
        {std::string("\0", 1), 0, unknown},
        {"\xff\xfe", 0, unknown},
    });
}

TEST(ExpressionErrors, CallsAreCheckedBeforeAnythingRuns) {
    constexpr auto fallback = "expected a path and a fallback, as in default(input.name, 'none'), not ";
    expect_refused({
        {"1 + upper('a')", 4, "there is no function upper; there are len, contains, json, join and default"},
        {"len()", 0, "expected len(VALUE), not 0 arguments"},
        {"len(1, 2)", 0, "expected len(VALUE), not 2 arguments"},
        {"contains('a')", 0, "expected contains(WHOLE, PART), not 1 argument"},
        {"join([])", 0, "expected join(LIST, SEPARATOR), not 1 argument"},
        {"json(1", 6, "expected an operator, a comma or ), not the end"},
        {"len(", 4, "expected a value, not the end"},
        {"default(1, 2)", 8, concat(fallback, "1")},
        {"default(null, 2)", 8, concat(fallback, "null")},
        {"default(not input.a, 2)", 8, concat(fallback, "not")},
        {"default()", 8, concat(fallback, ")")},
        {"default(input.a)", 15, concat(fallback, ")")},
        {"default(input.a + 1, 2)", 16, concat(fallback, "+")},
        {"default(input.a, 1, 2)", 18, "expected an operator or ), not ,"},
        {"default(steps, 1)", 8, "expected a step and what of it is wanted, as in steps.NAME.output"},
    });
}

TEST(ExpressionErrors, AMissingMemberIsNamedWithWhatIsThere) {
    expect_failing({
        {"1 + nobody", 4, "there is no nobody"},
        {"steps.fetch.colour", 0, "there is no steps.fetch.colour"},
        {"steps.absent.output.x", 0, "there is no steps.absent.output"},
        {"input.db.name", 9, "there is no input.db.name: input.db has host, port"},
        {"input.db['x y'].z", 9, "there is no input.db.x y: input.db has host, port"},
        {"input.nothing.x", 14, "there is no input.nothing.x: input.nothing has no members"},
        {"input.name.x", 11, "there is no input.name.x: input.name is a text"},
        {"input.count.x.y", 12, "there is no input.count.x: input.count is a number"},
        {"input.flag[0]", 11, "there is no input.flag[0]: input.flag is a boolean"},
        {"input.none.x", 11, "there is no input.none.x: input.none is null"},
        {"input.list[3]", 11, "there is no input.list[3]: input.list is a list of 3"},
        {"input.list[18446744073709551615]", 11,
         "there is no input.list[18446744073709551615]: input.list is a list of 3"},
        {"input.list.url", 11, "there is no input.list.url: input.list is a list of 3"},
        {"input.list[2].uri", 14, "there is no input.list[2].uri: input.list[2] has url"},
        {"input.db[0]", 9, "there is no input.db[0]: input.db has host, port"},
        {"item.x", 5, "there is no item.x: item is a text"},
        {"input.x", 6, "there is no input.x: input has 0, a-b, count, db, empty, flag, größe, huge, if, list, ..."},
    });
}

TEST(ExpressionErrors, ASubtractionReadAsANameIsExplained) {
    expect_failing({
        {"index-1", 0, "there is no index-1; to subtract, put a space before the -"},
        {"input.db.port-1", 9,
         "there is no input.db.port-1: input.db has host, port; to subtract, put a space before the -"},
        {"input.db.por-1", 9, "there is no input.db.por-1: input.db has host, port"},
    });
}

TEST(ExpressionErrors, ArithmeticThatHasNoResultIsRefused) {
    constexpr auto whole = "the result is too large for a whole number of 64 bits";
    expect_failing({
        {"9223372036854775807 + 1", 20, whole},
        {"-9223372036854775808 - 1", 21, whole},
        {"9223372036854775807 * 2", 20, whole},
        {"-9223372036854775808 / -1", 21, whole},
        {"- -9223372036854775808", 0, whole},
        {"input.huge + 1", 11, whole},
        {"1 - input.huge", 2, whole},
        {"-input.huge", 0, whole},
        {"1 / 0", 2, "division by zero"},
        {"1 % 0", 2, "division by zero"},
        {"1.5 / 0", 4, "division by zero"},
        {"1 / 0.0", 2, "division by zero"},
        {"1 % -0.0", 2, "division by zero"},
        {"1e308 * 10", 6, "the result is too large for a number"},
        {"-1e308 - 1e308", 7, "the result is too large for a number"},
    });
}

TEST(ExpressionErrors, OperatorsRefuseTypesThatTheyHaveNoMeaningFor) {
    expect_failing({
        {"'a' + 1", 4,
         "+ needs two numbers or two texts, not a text and a number; json(...) makes a text of anything"},
        {"1 + 2 + null", 6, "+ needs two numbers or two texts, not a number and null"},
        {"[] + []", 3, "+ needs two numbers or two texts, not a list and a list"},
        {"'a' * 2", 4, "* needs two numbers, not a text and a number"},
        {"true - 1", 5, "- needs two numbers, not a boolean and a number"},
        {"-'a'", 0, "- needs a number, not a text"},
        {"1 < 'a'", 2, "< compares two numbers or two texts, not a number with a text"},
        {"null >= null", 5, ">= compares two numbers or two texts, not null with null"},
        {"input.db <= []", 9, "<= compares two numbers or two texts, not an object with a list"},
        {"true > false", 5, "> compares two numbers or two texts, not a boolean with a boolean"},
    });
}

TEST(ExpressionErrors, FunctionsRefuseTypesThatTheyHaveNoMeaningFor) {
    expect_failing({
        {"1 + len(2)", 4, "len needs a text, a list or an object, not a number"},
        {"contains(1, 2)", 0, "contains needs a text, a list or an object to look in, not a number"},
        {"contains('a1', 1)", 0, "contains looks for a text in a text, not for a number"},
        {"join('a', ',')", 0, "join needs a list, not a text"},
        {"join([], 1)", 0, "join needs a text to put between the members, not a number"},
        {"[1, [len(null)]]", 5, "len needs a text, a list or an object, not null"},
        {"len(input.x.y)", 10,
         "there is no input.x: input has 0, a-b, count, db, empty, flag, größe, huge, if, list, ..."},
        {"not 1 / 0", 6, "division by zero"},
        {"default(input.x, 1 / 0)", 19, "division by zero"},
        {"false or 1 / 0", 11, "division by zero"},
    });
}

}  // namespace
}  // namespace holdfast::core
