#include "views/members.h"

#include <gtest/gtest.h>

namespace holdfast::views {

namespace {

enum class Colour { Red, Green };
constexpr auto words_of(Colour) {
    return words<Colour>({{Colour::Red, "red"}, {Colour::Green, "green"}});
}

struct Part {
    int number = 0;
};
struct Base {
    std::string name = {};
};
struct Thing : Base {
    Uuid id = {};
    Uuid owner = {};
    Colour colour = Colour::Red;
    std::string result = {};
    std::optional<Timestamp> at = {};
    Duration age = {};
    std::vector<Part> parts = {};
    Part first = {};
};

int doubled(const Thing& thing) {
    return 2 * thing.first.number;
}

Table<Part> table(Of<Part>) {
    static constexpr Member<Part> members[] = {member<&Part::number>("number")};
    return {"Part", members};
}

Table<Base> table(Of<Base>) {
    static constexpr Member<Base> members[] = {member<&Base::name>("name", or_null, "of the thing")};
    return {"Base", members};
}

Table<Thing> table(Of<Thing>) {
    static constexpr Member<Thing> members[] = {
        members_of_base<Base>(),
        member<&Thing::id>("id"),
        member<&Thing::owner>("owner", or_null),
        member<&Thing::colour>("colour"),
        member<&Thing::result>("result", json_text),
        member<&Thing::at>("at"),
        member<&Thing::age>("age", seconds),
        member<&Thing::parts>("parts"),
        member<&Thing::first, &Part::number>("first"),
        derived<doubled>("doubled"),
    };
    return {"Thing", members};
}

const std::string id = "01a1ec00-58fe-78db-bc9f-6e3d2144211f";

Thing full_thing() {
    Thing thing;
    thing.name = "a";
    thing.id = thing.owner = *Uuid::parse(id);
    thing.colour = Colour::Green;
    thing.result = R"({"n":12345678901234567890123})";
    thing.at = Timestamp(std::chrono::seconds(1));
    thing.age = std::chrono::milliseconds(1500);
    thing.parts = {{1}, {2}};
    thing.first = {3};
    return thing;
}

TEST(Members, WriteAndReadBackEveryMemberInOrder) {
    const std::string text = dump(to_json_shape(full_thing()));
    EXPECT_EQ(text, R"({"name":"a","id":")" + id + R"(","owner":")" + id + R"(","colour":"green",)" +
                        R"("result":{"n":12345678901234567890123},"at":"1970-01-01T00:00:01Z","age":1.5,)" +
                        R"("parts":[{"number":1},{"number":2}],"first":3,"doubled":6})");
    EXPECT_EQ(dump(to_json_shape(from_json_shape<Thing>(parse_exactly(text)))), text);
}

TEST(Members, AreNullWhereThereIsNothingToSay) {
    Thing thing;
    thing.id = *Uuid::parse(id);
    const Json shape = to_json_shape(thing);
    for (const char* member : {"name", "owner", "result", "at"}) EXPECT_TRUE(shape.at(member).is_null()) << member;
    const auto read = from_json_shape<Thing>(shape);
    EXPECT_TRUE(read.owner.is_nil());
    EXPECT_EQ(read.result, "");
    EXPECT_EQ(read.at, std::nullopt);
}

TEST(Members, RefuseAnObjectOfAnotherForm) {
    Json shape = to_json_shape(full_thing());
    shape["colour"] = "blue";
    EXPECT_THROW((void)from_json_shape<Thing>(shape), std::invalid_argument);
    shape.erase("colour");
    EXPECT_THROW((void)from_json_shape<Thing>(shape), Json::out_of_range);
}

TEST(Members, GiveTheSchema) {
    const Json schema = object_schema<Thing>();
    const Json& members = schema.at("properties");
    EXPECT_EQ(schema.at("required").size(), 10U);
    EXPECT_EQ(members.at("name").dump(), R"({"type":["string","null"],"description":"of the thing"})");
    EXPECT_EQ(members.at("id").dump(), R"({"type":"string","format":"uuid"})");
    EXPECT_EQ(members.at("colour").dump(), R"({"$ref":"#/components/schemas/Colour"})");
    EXPECT_EQ(members.at("age").dump(), R"({"type":"number"})");
    EXPECT_EQ(members.at("parts").dump(), R"({"type":"array","items":{"$ref":"#/components/schemas/Part"}})");
    EXPECT_EQ(members.at("doubled").dump(), R"({"type":"integer"})");
}

}  // namespace

}  // namespace holdfast::views
