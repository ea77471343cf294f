#include "core/json_text.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace holdfast::core {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string fault_in(std::string_view text) {
    const auto fault = json_fault(text);
    return fault ? concat(fault->where, "|", fault->problem) : "";
}

TEST(JsonText, HasNoFaultWhenEveryReaderUnderstandsTheSame) {
    for (const char* text :
         {"null", "0", "-1.5e300", "1e-999", "123456789012345678901234567890",
          R"({"a":{"a":1},"b":[{"a":1},{"a":1}]})", R"({"a.b":1,"a":{"b":2}})", "[[],{}]", R"("\u0000")"})
        EXPECT_EQ(fault_in(text), "") << text;
}

TEST(JsonText, NamesTheMemberOrElementAtFault) {
    EXPECT_EQ(fault_in(R"({"args": 1e999})"), "args|is a number that is too large");
    EXPECT_EQ(fault_in(R"({"a": [0, {"b": [1, -1e400]}]})"), "a[1].b[1]|is a number that is too large");
    EXPECT_EQ(fault_in("1e999"), "|is a number that is too large");
    EXPECT_EQ(fault_in(R"({"a": 1, "b": {"c": 1, "d": 2, "c": 3}})"), "b.c|is given twice");
    EXPECT_EQ(fault_in("{\"a\": 1, \"\\u0061\": 2}"), "a|is given twice") << "the same name, written otherwise";
    EXPECT_EQ(fault_in(R"([{"x": 1}, {"x": 1, "x": 1}])"), "[1].x|is given twice");
    EXPECT_EQ(fault_in("{\"a\": }"), "|is not valid JSON, at byte 7");
    EXPECT_EQ(fault_in(""), "|is not valid JSON, at byte 1");
}

TEST(JsonText, OneNumberHasOneCanonicalText) {
    const std::vector<std::vector<const char*>> alike = {
        {"0", "-0", "0.0", "0e7", "-0.000e-3"},
        {"1", "1.0", "1e0", "10e-1", "0.1e1", "1E+0"},
        {"-150", "-1.5e2", "-15e1", "-150.00"},
        {"123456789012345678901234567890", "1.2345678901234567890123456789e29"},
        {"123456789012345678901234567891"},
        {"0.1000000000000000055", "1000000000000000055e-19"},
        {"0.1", "1e-1"},
        {"9007199254740993", "9007199254740993.0"},
        {"9007199254740992"},
        {"1e-99999999999999999999"},
    };
    for (std::size_t i = 0; i < alike.size(); ++i)
        for (std::size_t j = 0; j < alike.size(); ++j)
            for (const char* left : alike[i])
                for (const char* right : alike[j])
                    EXPECT_EQ(same_json(left, right), i == j) << left << " and " << right;
}

TEST(JsonText, IsTheSameWhateverTheOrderOfMembersAndTheBlanks) {
    EXPECT_TRUE(same_json(R"({"b":[1,2],"a":{"y":null,"x":"A"}})",
                          " {\"a\" : {\"x\":\"\\u0041\", \"y\":null},\n\"b\":[1.0,2e0]}"));
    EXPECT_FALSE(same_json("[1,2]", "[2,1]"));
    EXPECT_FALSE(same_json(R"({"a":1})", R"({"a":"1"})"));
    EXPECT_FALSE(same_json(R"({"a":1})", R"({"a":1,"b":null})"));
    EXPECT_FALSE(same_json("[]", "{}"));
    EXPECT_TRUE(same_json("not json", "not json"));
    EXPECT_FALSE(same_json("not json", "not  json"));
}

RC_GTEST_PROP(JsonText, IsTheSameExactlyWhenItsValuesAre, ()) {
    const auto value = [] {
        json object = json::object();
        for (const auto& [key, number] :
             *rc::gen::container<std::map<std::string, int>>(rc::gen::string<std::string>(), rc::gen::inRange(-3, 3)))
            if (!text_defect(key)) object[key] = {number, {{"n", number * 0.5}}};
        return object;
    };
    const json left = value(), right = value();
    RC_ASSERT(same_json(left.dump(), left.dump(3)));
    RC_ASSERT(same_json(left.dump(-1, ' ', true), right.dump(1)) == (left == right));
}

TEST(JsonText, GivesItsPartsAsTheyAreWritten) {
    const std::string object =
        R"( {"args" : {"x": [1, "}\"" ]} , "\u0061":12345678901234567890123 ,"e":[],"s":"a\\"} )";
    EXPECT_THAT(json_members(object),
                ElementsAre(Pair("args", R"({"x": [1, "}\"" ]})"), Pair("a", "12345678901234567890123"),
                            Pair("e", "[]"), Pair("s", R"("a\\")")));
    EXPECT_EQ(json_member(object, "a"), "12345678901234567890123");
    EXPECT_EQ(json_member(object, "none"), "");
    EXPECT_THAT(json_elements(" [1.50 , [2,3], {\"a\":1}, \"]\" ]"),
                ElementsAre("1.50", "[2,3]", "{\"a\":1}", "\"]\""));
    EXPECT_EQ(json_member("\xEF\xBB\xBF{\"a\":1}", "a"), "1");
    for (const char* other : {"null", "3", "\"[1]\"", "[]", "{}"}) {
        EXPECT_THAT(json_members(other), IsEmpty()) << other;
        EXPECT_THAT(json_elements(other), IsEmpty()) << other;
    }
    EXPECT_EQ(json_object({{"a\"", "1.0"}, {"b", "[ ]"}}), R"({"a\"":1.0,"b":[ ]})");
    EXPECT_EQ(json_object({}), "{}");
}

}  // namespace
}  // namespace holdfast::core
