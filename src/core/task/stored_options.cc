#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/json_text.h"
#include "core/task/task_options.h"

namespace holdfast::core {

namespace {

using nlohmann::json;

/// Options by the keys under which they are stored.
template <typename Each>
using OptionsByKey = std::map<std::string, const Each*>;

const OptionsByKey<TaskOption>& policy_options() {
    static const OptionsByKey<TaskOption> options = [] {
        OptionsByKey<TaskOption> all;
        for (const TaskOption& option : task_options())
            if (option.is_policy) all.emplace(stored_name(option), &option);
        return all;
    }();
    return options;
}

const OptionsByKey<OptionOf<TaskSpec>>& members_of_spec() {
    static const OptionsByKey<OptionOf<TaskSpec>> options = [] {
        OptionsByKey<OptionOf<TaskSpec>> all;
        for (const auto& option : spec_options()) all.emplace(stored_name(option), &option);
        return all;
    }();
    return options;
}

/// An object of the options whose values differ from the default.
template <typename Each, typename Target>
json stored_object(const OptionsByKey<Each>& options, const Target& target) {
    static const Target standard;
    json object = json::object();
    for (const auto& [key, option] : options)
        if (const OptionValue value = option->get(target); value != option->get(standard))
            object[key] = stored_json(value);
    return object;
}

template <typename Each>
std::string unknown_key(const std::string& key, const OptionsByKey<Each>& options) {
    std::vector<std::string> known;
    for (const auto& [name, option] : options) known.push_back(name);
    const auto nearest = nearest_word(key, known);
    if (nearest) return concat("unknown key ", found(key), "; did you mean \"", *nearest, "\"?");
    return concat("unknown key ", found(key), "; the keys are ", join(known, ", "));
}

/// Reads what stored_object made. Returns the defect; empty: none.
template <typename Each, typename Target>
std::string read_object(const json& object, const OptionsByKey<Each>& options, Target& target) {
    for (const auto& [key, value] : object.items()) {
        const auto option = options.find(key);
        if (option == options.end()) return unknown_key(key, options);
        const auto reading = read_stored(*option->second, value);
        if (!reading.ok()) return reading.error();
        option->second->set(target, reading.value());
    }
    return {};
}

}  // namespace

std::string encode_policy(const TaskPolicy& policy) {
    if (policy == TaskPolicy()) return {};  // as nearly all are: the way through the options is long
    const json object = stored_object(policy_options(), SubmitOptions{.policy = policy});
    return object.empty() ? std::string() : object.dump();
}

Result<TaskPolicy, std::string> decode_policy(std::string_view text) {
    SubmitOptions options;
    if (text.empty()) return options.policy;
    const json object = json::parse(text, nullptr, false);
    if (object.is_discarded())
        return Failure<std::string>{"a policy must be a JSON object, and this is not valid JSON"};
    if (!object.is_object()) return Failure{concat("a policy must be a JSON object, not ", found(object))};
    if (const auto fault = json_fault(text)) return Failure{concat(fault->where, " ", fault->problem)};
    if (std::string defect = read_object(object, policy_options(), options); !defect.empty()) return Failure{defect};
    return std::move(options.policy);
}

std::string policy_defect(const TaskPolicy& policy) {
    if (policy == TaskPolicy()) return {};
    const SubmitOptions options{.policy = policy};
    for (const auto& [key, option] : policy_options())
        if (std::string defect = option_defect(*option, key, option->get(options)); !defect.empty()) return defect;
    return {};
}

std::string to_json_text(const TaskSpec& spec) {
    return stored_object(members_of_spec(), spec).dump();
}

Result<TaskSpec, std::string> parse_task_spec(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (object.is_discarded()) return Failure<std::string>{"a task's specification must be a JSON object"};
    if (!object.is_object())
        return Failure{concat("a task's specification must be a JSON object, not ", found(object))};
    TaskSpec spec;
    if (std::string defect = read_object(object, members_of_spec(), spec); !defect.empty()) return Failure{defect};
    for (const SpecDefect& defect : spec_defects(spec)) return Failure{concat(defect.member, " ", defect.problem)};
    return spec;
}

}  // namespace holdfast::core
