#include "store/encoding.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace holdfast::store {

namespace {

[[noreturn]] void contradicts_schema(std::string_view what, std::string_view text) {
    throw Unusable(
        concat("the database holds an unreadable ", what, " '", text, "'; was it written by a newer holdfast?"));
}

nlohmann::json parsed(std::string_view json, std::string_view what) {
    auto value = nlohmann::json::parse(json, nullptr, false);
    if (!value.is_array()) contradicts_schema(what, json);
    return value;
}

}  // namespace

std::string encode_strings(const std::vector<std::string>& strings) {
    return nlohmann::json(strings).dump();
}

std::vector<std::string> decode_strings(std::string_view json) {
    std::vector<std::string> strings;
    for (const auto& element : parsed(json, "list of strings")) {
        if (!element.is_string()) contradicts_schema("list of strings", json);
        strings.push_back(element.get<std::string>());
    }
    return strings;
}

std::string encode_held(const std::vector<HeldLease>& held) {
    auto list = nlohmann::json::array();
    for (const auto& lease : held)
        list.push_back({{"task", lease.lease.task.to_string()},
                        {"lease", lease.lease.lease},
                        {"running", lease.running},
                        {"pid", lease.runner_pid},
                        {"age_us", lease.runner_beat_age.count()}});
    return list.dump();
}

std::vector<HeldLease> decode_held(std::string_view json) try {
    std::vector<HeldLease> held;
    for (const auto& element : parsed(json, "list of leases")) {
        const auto task = Uuid::parse(element.at("task").get<std::string>());
        if (!task) contradicts_schema("list of leases", json);
        held.push_back({{*task, element.at("lease").get<Lease>()},
                        element.at("running").get<bool>(),
                        element.at("pid").get<int>(),
                        Duration(element.at("age_us").get<std::int64_t>())});
    }
    return held;
} catch (const nlohmann::json::exception&) {
    contradicts_schema("list of leases", json);
}

void refuse_word(std::string_view text, const std::string& expected) {
    throw Unusable(concat("the database holds \"", text, "\" where ", expected,
                          " is expected; was it written by a newer holdfast?"));
}

}  // namespace holdfast::store
