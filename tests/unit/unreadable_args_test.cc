#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "core/task/settlement.h"
#include "holdfast/function.h"

namespace shop {

struct Item {
    std::string name;
    double price = 0;
    std::vector<int> sizes;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Item, sizes, name, price)

struct Order {
    int number = 0;
    std::string note;  // may be left out
    std::vector<Item> items;
    std::map<std::string, bool> flags;
    std::tuple<int, std::string, int> triple;
};
// In another order than that of the keys, as a person would write it.
void from_json(const nlohmann::json& json, Order& order) {
    json.at("triple").get_to(order.triple);
    json.at("number").get_to(order.number);
    if (json.contains("note")) json.at("note").get_to(order.note);
    json.at("items").get_to(order.items);
    json.at("flags").get_to(order.flags);
}
void to_json(nlohmann::json& json, const Order& order) {
    json = {{"number", order.number}, {"items", order.items}};
}

enum class Colour { Red };
void from_json(const nlohmann::json& json, Colour& colour) {
    if (json.get<std::string>() != "red") throw std::invalid_argument("there is no such colour");
    colour = Colour::Red;
}
void to_json(nlohmann::json& json, const Colour&) {
    json = "red";
}

struct Tree {
    int value = 0;
    std::vector<Tree> children;
};
void from_json(const nlohmann::json& json, Tree& tree) {
    json.at("value").get_to(tree.value);
    if (json.contains("children")) json.at("children").get_to(tree.children);
}
void to_json(nlohmann::json& json, const Tree& tree) {
    json = {{"value", tree.value}};
}

}  // namespace shop

namespace holdfast {
namespace {

using nlohmann::json;

json an_order() {
    const json item = {{"name", "hat"}, {"price", 9.5}, {"sizes", {1, 2, 3}}};
    return {{"number", 7}, {"items", {item, item, item}}, {"flags", {{"gift", true}}}, {"triple", {1, "two", 3}}};
}

/// Why they cannot be read; "": they can.
template <typename Args>
std::string complaint_about(const json& args) {
    const auto read = detail::read_args<Args>(args);
    if (read.ok()) return "";
    EXPECT_EQ(read.error().code, error_code::args_not_readable);
    return read.error().message;
}

/// The order with the value at a place replaced, or taken away.
std::string complaint_at(const char* place, const json& value) {
    json order = an_order();
    order[json::json_pointer(place)] = value;
    return complaint_about<shop::Order>(order);
}
std::string complaint_without(const char* parent, const char* key) {
    json order = an_order();
    order.at(json::json_pointer(parent)).erase(key);
    return complaint_about<shop::Order>(order);
}

TEST(UnreadableArgs, WhatFitsIsRead) {
    EXPECT_EQ(complaint_about<shop::Order>(an_order()), "");
    EXPECT_EQ(complaint_about<int>(7), "");
    EXPECT_EQ(complaint_about<json>({{"any", "thing"}}), "");
    EXPECT_EQ(complaint_about<Nothing>(nullptr), "");
}

TEST(UnreadableArgs, EachValueOfAnotherTypeIsNamedWithItsPath) {
    EXPECT_EQ(complaint_at("/number", "7"), "args.number: expected a number, got a string");
    EXPECT_EQ(complaint_at("/number", nullptr), "args.number: expected a number, got null");
    EXPECT_EQ(complaint_at("/note", 7), "args.note: expected a string, got a number");
    EXPECT_EQ(complaint_at("/items", json::object()), "args.items: expected an array, got an object");
    EXPECT_EQ(complaint_at("/items/0", 3), "args.items[0]: expected an object, got a number");
    EXPECT_EQ(complaint_at("/items/2/price", "free"), "args.items[2].price: expected a number, got a string");
    EXPECT_EQ(complaint_at("/items/1/name", json::array()), "args.items[1].name: expected a string, got an array");
    EXPECT_EQ(complaint_at("/items/2/sizes/1", "L"), "args.items[2].sizes[1]: expected a number, got a string");
    EXPECT_EQ(complaint_at("/flags/gift", 1), "args.flags.gift: expected a boolean, got a number");
    EXPECT_EQ(complaint_at("/flags/odd key", 1), "args.flags[\"odd key\"]: expected a boolean, got a number");
    for (const int at : {0, 2})
        EXPECT_EQ(complaint_at(concat("/triple/", at).c_str(), "x"),
                  concat("args.triple[", at, "]: expected a number, got a string"));
    EXPECT_EQ(complaint_at("/triple/1", 2), "args.triple[1]: expected a string, got a number");
}

TEST(UnreadableArgs, EachMissingMemberIsNamedWithItsPath) {
    EXPECT_EQ(complaint_without("", "number"), "args.number: is missing");
    EXPECT_EQ(complaint_without("", "triple"), "args.triple: is missing");
    EXPECT_EQ(complaint_without("", "flags"), "args.flags: is missing");
    EXPECT_EQ(complaint_without("/items/0", "sizes"), "args.items[0].sizes: is missing");
    EXPECT_EQ(complaint_without("/items/1", "name"), "args.items[1].name: is missing");
    EXPECT_EQ(complaint_without("/items/2", "price"), "args.items[2].price: is missing");
    EXPECT_EQ(complaint_at("/triple", {1, "two"}), "args.triple[2]: is missing");
}

TEST(UnreadableArgs, OfSeveralFaultsTheFirstToBeReadIsNamed) {
    json order = an_order();
    order["items"][1]["price"] = "free";
    order["items"][2]["price"] = "free";
    order["flags"]["gift"] = "free";
    EXPECT_EQ(complaint_about<shop::Order>(order), "args.items[1].price: expected a number, got a string");
}

TEST(UnreadableArgs, TheArgumentsThemselvesMayBeTheFault) {
    EXPECT_EQ(complaint_about<int>("seven"), "args: expected a number, got a string");
    EXPECT_EQ(complaint_about<shop::Order>(nullptr), "args: expected an object, got null");
    EXPECT_EQ(complaint_about<shop::Order>(json::object()), "args.triple: is missing");
}

TEST(UnreadableArgs, WhatATypeOfTheUserThrowsIsToldWithThePath) {
    EXPECT_EQ(complaint_about<std::vector<shop::Colour>>({"red", "blue", "red"}), "args[1]: there is no such colour");
    EXPECT_EQ((complaint_about<std::map<std::string, shop::Colour>>({{"a", "red"}, {"b", 7}})),
              "args.b: expected a string, got a number");
}

TEST(UnreadableArgs, AMemberThatAnotherMayLackIsMissingWhereItIsRequired) {
    const json leaf = {{"value", 1}};
    const json tree = {{"value", 1}, {"children", {leaf, {{"value", 2}, {"children", {json::object()}}}}}};
    EXPECT_EQ(complaint_about<shop::Tree>(tree), "args.children[1].children[0].value: is missing");
}

TEST(UnreadableArgs, AFaultAmongManyIsFoundInFewReads) {
    json list = json::array();
    for (int i = 0; i < 100'000; ++i) list.push_back(i);
    list[77'777] = "many";
    int reads = 0;
    const auto error = detail::unreadable_args(list, [&](const json& changed) {
        ++reads;
        (void)changed.get<std::vector<int>>();
    });
    EXPECT_EQ(error.message, "args[77777]: expected a number, got a string");
    EXPECT_EQ(json::parse(error.data), json({{"path", "args[77777]"}}));
    EXPECT_LT(reads, 100);
}

TEST(UnreadableArgs, ADecoderThatChangesItsMindIsNotAskedForEver) {
    int reads = 0;
    json deep = 1;
    for (int i = 0; i < 200; ++i) deep = json::array({deep, i, i, i, i});
    const auto error = detail::unreadable_args(
        deep, [&](const json&) -> void { throw std::runtime_error(std::to_string(++reads)); });
    EXPECT_EQ(error.code, error_code::args_not_readable);
    EXPECT_LT(reads, 1000);
}

TEST(UnreadableArgs, AreNeverRetried) {
    TaskPolicy policy;
    policy.retry.max_attempts = 10;
    core::EndedLease lease{};
    lease.end = core::LeaseEnd::Failed;
    lease.error = {std::string(error_code::args_not_readable), "args.number: is missing", ""};
    EXPECT_EQ(core::settle(lease, policy).state, TaskState::Failed);
    policy.retry.retry_on = {std::string(error_code::args_not_readable)};  // stored by another version
    EXPECT_EQ(core::settle(lease, policy).state, TaskState::Failed);
}

}  // namespace
}  // namespace holdfast
