#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/expression/found_value.h"
#include "core/task/task_options.h"

namespace holdfast::core {

namespace {

using nlohmann::json;

std::string unknown_spec_key(const std::string& key) {
    std::vector<std::string> known;
    for (const auto& option : spec_options()) known.push_back(stored_name(option));
    std::ranges::sort(known);
    return concat("unknown key ", found(key), "; the keys are ", join(known, ", "));
}

/// Returns the defect; empty: none.
std::string read_spec_member(const std::string& key, const json& value, TaskSpec& spec) {
    for (const auto& option : spec_options()) {
        if (key != stored_name(option)) continue;
        const auto reading = read_stored(option, value);
        if (!reading.ok()) return reading.error();
        option.set(spec, reading.value());
        return {};
    }
    return unknown_spec_key(key);
}

}  // namespace

std::string to_json_text(const TaskSpec& spec) {
    static const TaskSpec standard;
    json object = json::object();
    for (const auto& option : spec_options())
        if (const OptionValue value = option.get(spec); value != option.get(standard))
            object[stored_name(option)] = stored_json(value);
    return object.dump();
}

Result<TaskSpec, std::string> parse_task_spec(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (object.is_discarded()) return Failure<std::string>{"a task's specification must be a JSON object"};
    if (!object.is_object())
        return Failure{concat("a task's specification must be a JSON object, not ", found(object))};
    TaskSpec spec;
    for (const auto& [key, value] : object.items())
        if (std::string defect = read_spec_member(key, value, spec); !defect.empty()) return Failure{defect};
    for (const SpecDefect& defect : spec_defects(spec)) return Failure{concat(defect.member, " ", defect.problem)};
    return spec;
}

}  // namespace holdfast::core
