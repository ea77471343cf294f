#include "core/task/policy_text.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "core/expression/found_value.h"
#include "core/task/task_options.h"

namespace holdfast::core {

namespace {

using nlohmann::json;

struct PolicyMember {
    std::string key;
    const TaskOption* option;
};

/// The members of a stored policy, sorted by key.
const std::vector<PolicyMember>& policy_members() {
    static const std::vector<PolicyMember> members = [] {
        std::vector<PolicyMember> all;
        for (const TaskOption& option : task_options())
            if (option.is_policy) all.push_back({stored_name(option), &option});
        std::ranges::sort(all, {}, &PolicyMember::key);
        return all;
    }();
    return members;
}

std::string unknown_policy_key(const std::string& key) {
    std::vector<std::string> known;
    for (const PolicyMember& member : policy_members()) known.push_back(member.key);
    const auto nearest = nearest_word(key, known);
    if (nearest) return concat("unknown key ", found(key), "; did you mean \"", *nearest, "\"?");
    return concat("unknown key ", found(key), "; the keys are ", join(known, ", "));
}

/// Returns the defect; empty: none.
std::string read_member(const std::string& key, const json& value, SubmitOptions& options) {
    for (const PolicyMember& member : policy_members()) {
        if (key != member.key) continue;
        const auto reading = read_stored(*member.option, value);
        if (!reading.ok()) return reading.error();
        member.option->set(options, reading.value());
        return {};
    }
    return unknown_policy_key(key);
}

/// Parses an object whose keys are all different; the JSON library itself would let the last one win.
json parse_object(std::string_view text, std::string& defect) {
    std::set<std::string> keys;
    const auto note_key = [&](int depth, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::key && depth == 1 && !keys.insert(parsed.get<std::string>()).second)
            defect = concat("the key ", found(parsed), " is given twice");
        return true;
    };
    json object = json::parse(text, note_key, false);
    if (object.is_discarded())
        defect = "a policy must be a JSON object, and this is not valid JSON";
    else if (!object.is_object())
        defect = concat("a policy must be a JSON object, not ", found(object));
    return object;
}

}  // namespace

std::string encode_policy(const TaskPolicy& policy) {
    static const SubmitOptions standard;
    const SubmitOptions options{.policy = policy};
    json object = json::object();
    for (const auto& [key, option] : policy_members())
        if (const OptionValue value = option->get(options); value != option->get(standard))
            object[key] = stored_json(value);
    return object.empty() ? std::string() : object.dump();
}

Result<TaskPolicy, std::string> decode_policy(std::string_view text) {
    SubmitOptions options;
    if (text.empty()) return options.policy;
    std::string defect;
    const json object = parse_object(text, defect);
    if (!defect.empty()) return Failure{defect};
    for (const auto& [key, value] : object.items())
        if (defect = read_member(key, value, options); !defect.empty()) return Failure{defect};
    return std::move(options.policy);
}

std::string policy_defect(const TaskPolicy& policy) {
    const SubmitOptions options{.policy = policy};
    for (const auto& [key, option] : policy_members())
        if (std::string defect = option_defect(*option, key, option->get(options)); !defect.empty()) return defect;
    return {};
}

}  // namespace holdfast::core
