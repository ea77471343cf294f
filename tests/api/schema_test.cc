#include "server/api/schema.h"

#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

using namespace api::schema;  // NOLINT(google-build-using-namespace)
using api::Fault;

namespace {

std::vector<Fault> check(const Value& value, const api::Json& schema, const api::Json& components = {}) {
    return faults_of(value, schema, components);
}

}  // namespace

TEST(ApiSchema, EveryFaultIsNamedWithItsPlace) {
    const auto schema = form(
        {{"name", text()}, {"list", array(integer_between(1, 9))}, {"sub", form({{"on", boolean()}})}}, {"name"});
    EXPECT_THAT(check({{"list", {1, 10, "x"}}, {"sub", {{"on", 1}, {"no", 2}}}}, schema),
                testing::UnorderedElementsAre(Fault{"name", "is missing"}, Fault{"list[1]", "must be 1 to 9, not 10"},
                                              Fault{"list[2]", "must be a whole number, not \"x\""},
                                              Fault{"sub.on", "must be true or false, not 1"},
                                              Fault{"sub.no", "is not known; did you mean on?"}));
}

TEST(ApiSchema, WhatMayBeLeftOutMayBeNull) {
    const auto schema = form({{"a", text()}, {"b", word({"x", "y"})}, {"c", duration()}});
    EXPECT_THAT(check({{"a", nullptr}, {"b", nullptr}, {"c", nullptr}}, schema), IsEmpty());
    EXPECT_THAT(check(Value::object(), schema), IsEmpty());
    EXPECT_THAT(check({{"b", "z"}}, schema), ElementsAre(Fault{"b", "must be one of x, y, not \"z\""}));
}

TEST(ApiSchema, AnAnswerHasAllItsMembersAndNoOthers) {
    const auto schema = object({{"id", uuid()}, {"at", nullable(time())}});
    EXPECT_THAT(check({{"id", "01a1dd19-f0fa-79a5-bc3e-91814abe8999"}, {"at", nullptr}}, schema), IsEmpty());
    EXPECT_THAT(check({{"id", "x"}}, schema), SizeIs(2));
    EXPECT_THAT(check({{"id", nullptr}, {"at", "yesterday"}, {"more", 1}}, schema), SizeIs(3));
}

TEST(ApiSchema, ReferencesAreFollowed) {
    const api::Json components = {{"Point", object({{"x", number()}})}};
    EXPECT_THAT(check({{"p", {{"x", 1.5}}}}, object({{"p", nullable(ref("Point"))}}), components), IsEmpty());
    EXPECT_THAT(check({{"p", {{"x", "1"}}}}, object({{"p", nullable(ref("Point"))}}), components),
                ElementsAre(Fault{"p.x", "must be a number, not \"1\""}));
}

TEST(ApiSchema, TextThatCannotBeStoredIsRefusedWhereverItStands) {
    EXPECT_THAT(check(std::string("a\0b", 3), text()), SizeIs(1));
    EXPECT_THAT(check(std::string(1000, 'x'), integer()).at(0).detail, HasSubstr("a text of 1002 bytes"))
        << "a complaint stays short";
}

}  // namespace holdfast::api_test
