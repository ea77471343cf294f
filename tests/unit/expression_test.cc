#include "core/expression/expression.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/unit/expression_scope.h"

namespace holdfast::core {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The value as JSON, in which 1 and 1.0 differ; or the error.
std::string value_of(const std::string& text) {
    const auto expression = Expression::parse(text);
    if (!expression.ok()) return concat("at ", expression.error().position, ": ", expression.error().message);
    const auto value = expression->evaluate(example_scope());
    if (!value.ok()) return concat("at ", value.error().position, ": ", value.error().message);
    return value->dump();
}

struct Example {
    std::string text;
    std::string value;
};

void expect_values(const std::vector<Example>& examples) {
    for (const auto& [text, value] : examples) EXPECT_EQ(value_of(text), value) << text;
}

TEST(Expression, LiteralsStandForThemselves) {
    expect_values({{"1", "1"},
                   {"0", "0"},
                   {"007", "7"},
                   {"1.5", "1.5"},
                   {"2.0", "2.0"},
                   {"1e3", "1000.0"},
                   {"25E-1", "2.5"},
                   {"true", "true"},
                   {"false", "false"},
                   {"null", "null"},
                   {"'text'", R"("text")"},
                   {R"("text")", R"("text")"},
                   {"''", R"("")"},
                   {"[]", "[]"},
                   {"[1, 'a', [true], null]", R"([1,"a",[true],null])"},
                   {" \t\r\n1\n", "1"},
                   {"9223372036854775807", "9223372036854775807"},
                   {"-9223372036854775808", "-9223372036854775808"},
                   {"18446744073709551615", "18446744073709551615"}});
}

TEST(Expression, TextsKnowEscapesAndTheOtherQuote) {
    expect_values({{R"('it\'s')", R"("it's")"},
                   {R"("it's")", R"("it's")"},
                   {R"('"')", R"("\"")"},
                   {R"("\"")", R"("\"")"},
                   {R"('a\\')", R"("a\\")"},
                   {R"('\n\r\t')", R"("\n\r\t")"},
                   {"'größe 漢字 🙂'", R"("größe 漢字 🙂")"},
                   {"'}} {{'", R"("}} {{")"}});
}

TEST(Expression, PathsLeadIntoValuesAndKeepTheirTypes) {
    expect_values({{"input.name", R"("Ada")"},
                   {"input.count", "3"},
                   {"input.ratio", "0.5"},
                   {"input.none", "null"},
                   {"input.flag", "true"},
                   {"input.db", R"({"host":"db1","port":5432})"},
                   {"input.db.port", "5432"},
                   {"input['db']['host']", R"("db1")"},
                   {R"(input["größe"])", R"("10 µm")"},
                   {"input.list[0]", "10"},
                   {"input.list[2].url", R"("u")"},
                   {"input.0", R"("zero")"},
                   {"input.if", R"("word")"},
                   {"item", R"("i1")"},
                   {"index", "4"},
                   {"job.id", R"("j1")"},
                   {"steps.fetch.output", R"({"rows":12,"url":"http://x/"})"},
                   {"steps.fetch.output.url", R"("http://x/")"},
                   {"steps.fetch.status", R"("COMPLETED")"},
                   {"steps.my-step.output", "null"},
                   {"steps['my-step'].output", "null"},
                   {"steps.2nd.status", R"("SKIPPED")"}});
}

TEST(Expression, AMinusDirectlyBehindANameBelongsToIt) {
    expect_values({{"input.a-b", "7"}, {"index - 1", "3"}, {"index -1", "3"}, {"3-1", "2"}, {"(index)-1", "3"}});
}

TEST(Expression, WholeNumbersStayWhole) {
    expect_values({{"1 + 2", "3"},
                   {"7 / 2", "3"},
                   {"-7 / 2", "-3"},
                   {"7 % 3", "1"},
                   {"-7 % 3", "-1"},
                   {"2 * 3.0", "6.0"},
                   {"7 / 2.0", "3.5"},
                   {"7.5 % 2", "1.5"},
                   {"1 - 0.5", "0.5"},
                   {"input.count * index", "12"},
                   {"-9223372036854775808 % -1", "0"},
                   {"9223372036854775807 + 0", "9223372036854775807"},
                   {"-input.count", "-3"},
                   {"-1.5", "-1.5"},
                   {"- -1", "1"}});
}

TEST(Expression, PlusJoinsTexts) {
    expect_values({{"'a' + 'b' + \"c\"", R"("abc")"}, {"'no ' + json(index)", R"("no 4")"}});
}

TEST(Expression, OperatorsBindAsUsual) {
    expect_values({{"1 + 2 * 3", "7"},
                   {"(1 + 2) * 3", "9"},
                   {"10 - 2 - 3", "5"},
                   {"100 / 10 / 2", "5"},
                   {"2 * 3 % 4", "2"},
                   {"-2 * 3", "-6"},
                   {"2 * -3", "-6"},
                   {"1 + 1 == 2", "true"},
                   {"1 < 2 and 2 < 3", "true"},
                   {"true or true and false", "true"},
                   {"(true or true) and false", "false"},
                   {"not false and false", "false"},
                   {"not (false and false)", "true"},
                   {"not 1 == 2", "true"},
                   {"not not 1", "true"},
                   {"(1 < 2) == true", "true"},
                   {"false == (1 > 2)", "true"}});
}

TEST(Expression, EqualityIsOfValuesAndFalseBetweenTypes) {
    expect_values({{"1 == 1.0", "true"},
                   {"1 != 1", "false"},
                   {"'1' == 1", "false"},
                   {"'1' != 1", "true"},
                   {"true == 1", "false"},
                   {"null == false", "false"},
                   {"null == null", "true"},
                   {"input.none == null", "true"},
                   {"[1, [2]] == [1.0, [2]]", "true"},
                   {"[1] == [1, 2]", "false"},
                   {"input.db == input.db", "true"},
                   {"input.db == job", "false"},
                   {"input.nothing == []", "false"},
                   {"'ä' == 'ä'", "true"},
                   {"input.huge == -1", "false"},
                   {"input.huge == 18446744073709551615", "true"},
                   {"9007199254740993 == 9007199254740992.0", "false"}});
}

TEST(Expression, NumbersAndTextsHaveAnOrder) {
    expect_values({{"1 < 2", "true"},
                   {"2 < 2", "false"},
                   {"2 <= 2", "true"},
                   {"2 > 1.5", "true"},
                   {"1 >= 2", "false"},
                   {"-1 < input.huge", "true"},
                   {"9007199254740992.0 < 9007199254740993", "true"},
                   {"'a' < 'b'", "true"},
                   {"'b' <= 'a'", "false"},
                   {"'Z' < 'a'", "true"},
                   {"'z' < 'ä'", "true"},
                   {"'' < 'a'", "true"}});
}

TEST(Expression, BooleansAreAnsweredAndTheUndecidedSideIsNotLookedAt) {
    expect_values({{"1 and 'x'", "true"},
                   {"1 and ''", "false"},
                   {"0 or input.db", "true"},
                   {"0 or []", "false"},
                   {"not ''", "true"},
                   {"not 'False'", "true"},
                   {"true or input.nowhere", "true"},
                   {"false and 1 / 0", "false"},
                   {"false or true or 1 / 0", "true"}});
}

TEST(Expression, DefaultStandsInForWhatIsMissingOrNull) {
    expect_values({{"default(input.name, 'x')", R"("Ada")"},
                   {"default(input.nowhere, 'x')", R"("x")"},
                   {"default(input.nowhere.deeper[3], [])", "[]"},
                   {"default(input.name.first, 1)", "1"},
                   {"default(input.list[9], 1)", "1"},
                   {"default(input.none, 2)", "2"},
                   {"default(steps.my-step.output.url, 'none')", R"("none")"},
                   {"default(steps.absent.output, 'none')", R"("none")"},
                   {"default(nobody, 1) + 1", "2"},
                   {"default(input.flag, 1 / 0)", "true"},
                   {"default(input.x, default(input.count, 0))", "3"}});
}

TEST(Expression, FunctionsMeasureSearchAndWrite) {
    expect_values({{"len('größe')", "5"},
                   {"len('')", "0"},
                   {"len(input.list)", "3"},
                   {"len(input.db)", "2"},
                   {"contains('haystack', 'st')", "true"},
                   {"contains('haystack', 'x')", "false"},
                   {"contains('x', '')", "true"},
                   {"contains(input.list, 10.0)", "true"},
                   {"contains(input.list, '10')", "false"},
                   {"contains(input.db, 'port')", "true"},
                   {"contains(input.db, 5432)", "at 0: contains looks for a text in an object, not for a number"},
                   {"json(input.db)", R"("{\"host\":\"db1\",\"port\":5432}")"},
                   {"json('a')", R"("\"a\"")"},
                   {"json('ä')", R"("\"ä\"")"},
                   {"json(1.0)", R"("1.0")"},
                   {"join(['a', 'b'], ', ')", R"("a, b")"},
                   {"join(input.list, '-')", R"("10-two-{\"url\":\"u\"}")"},
                   {"join([], ',')", R"("")"},
                   {"join([null, true], '')", R"("nulltrue")"}});
}

TEST(Expression, AsksTheScopeOnlyForWhatItReaches) {
    const FixedScope scope = example_scope();
    const auto expression = Expression::parse("steps.fetch.output.rows > 3 or item == input.name");
    ASSERT_TRUE(expression.ok());
    ASSERT_TRUE(expression->evaluate(scope).ok());
    EXPECT_THAT(scope.asked, ElementsAre("steps.fetch.output"));
}

TEST(Expression, NamesEveryReferenceInTheOrderOfTheText) {
    const auto expression = Expression::parse(
        "not steps.a.output['x y'][0] and [item, -index] == default(input.b, join(job, input)) or false");
    ASSERT_TRUE(expression.ok());
    EXPECT_THAT(expression->references(),
                ElementsAre(Reference{{"steps", "a", "output", "x y", "0"}, 4}, Reference{{"item"}, 34},
                            Reference{{"index"}, 41}, Reference{{"input", "b"}, 59}, Reference{{"job"}, 73},
                            Reference{{"input"}, 78}));
    EXPECT_THAT(Expression::parse("1 + 2")->references(), IsEmpty());
}

TEST(Expression, TruthIsWhatPeopleMean) {
    for (const json& value : {json(false), json(), json(0), json(0U), json(0.0), json(-0.0), json(""), json::array(),
                              json::object(), json("false"), json("FALSE"), json("0"), json("Null"), json("nOnE")})
        EXPECT_FALSE(is_true(value)) << value;
    for (const json& value : {json(true), json(1), json(-1), json(0.1), json("x"), json("no"), json("00"), json(" "),
                              json("falsey"), json("fals"), json::array({false}), json{{"a", 0}}})
        EXPECT_TRUE(is_true(value)) << value;
}

/// Rows of two code spans: | `expression` | `value` |
std::vector<Example> documented_examples() {
    std::ifstream file(HOLDFAST_SOURCE_DIR "/docs/expressions.md");
    std::vector<Example> examples;
    for (std::string line; std::getline(file, line);) {
        const auto middle = line.find("` | `");
        if (!line.starts_with("| `") || middle == std::string::npos) continue;
        const auto end = line.find('`', middle + 5);
        examples.push_back({line.substr(3, middle - 3), line.substr(middle + 5, end - middle - 5)});
    }
    return examples;
}

TEST(Expression, DocumentedExamplesAreTrue) {
    const auto examples = documented_examples();
    EXPECT_GT(examples.size(), 20U);
    expect_values(examples);
}

}  // namespace
}  // namespace holdfast::core
