#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/expression/found_value.h"
#include "core/task/task_spec.h"

namespace holdfast::core {

namespace {

using nlohmann::json;
using Defect = std::string;  // empty: none

Defect read(const json& value, std::string& target) {
    if (!value.is_string()) return concat("must be a text, not ", found(value));
    target = value.get<std::string>();
    return {};
}

Defect read(const json& value, std::vector<std::string>& target) {
    if (!value.is_array()) return concat("must be a list of texts, not ", found(value));
    for (const json& item : value)
        if (Defect defect = read(item, target.emplace_back()); !defect.empty())
            return concat("must be a list of texts, not ", found(value));
    return {};
}

Defect read(const json& value, std::map<std::string, std::string>& target) {
    if (!value.is_object()) return concat("must be an object of texts, not ", found(value));
    for (const auto& [name, item] : value.items())
        if (Defect defect = read(item, target[name]); !defect.empty())
            return concat("must be an object of texts, not ", found(value));
    return {};
}

/// Whole, and small enough for the member; what is smaller than sensible is told by spec_defects.
template <typename Integer>
Defect read_integer(const json& value, std::optional<Integer>& target) {
    constexpr auto most = std::numeric_limits<Integer>::max();
    const bool is_whole = value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{most};
    if (!is_whole) return concat("must be a whole number from 0 to ", most, ", not ", found(value));
    target = value.get<Integer>();
    return {};
}

Defect read(const json& value, std::optional<double>& target) {
    if (!value.is_number()) return concat("must be a number, not ", found(value));
    target = value.get<double>();
    return {};
}

template <Worded Enum>
Defect read(const json& value, Enum& target) {
    const auto word = value.is_string() ? parse_word<Enum>(value.get_ref<const std::string&>()) : std::nullopt;
    if (!word) return concat("must be ", words_to_choose<Enum>(), ", not ", found(value));
    target = *word;
    return {};
}

template <typename Value>
json optional_json(const std::optional<Value>& value) {
    return value ? json(*value) : json();
}

/// One member of the JSON text, as it is read and written.
struct SpecMember {
    std::string_view key;
    Defect (*read)(const json& value, TaskSpec& spec);
    json (*write)(const TaskSpec& spec);
};

using S = TaskSpec;
constexpr SpecMember spec_members[] = {
    {"command", [](const json& v, S& s) { return read(v, s.command); }, [](const S& s) { return json(s.command); }},
    {"cpus", [](const json& v, S& s) { return read(v, s.cpus); }, [](const S& s) { return optional_json(s.cpus); }},
    {"dir", [](const json& v, S& s) { return read(v, s.dir); }, [](const S& s) { return json(s.dir); }},
    {"env", [](const json& v, S& s) { return read(v, s.env); }, [](const S& s) { return json(s.env); }},
    {"image", [](const json& v, S& s) { return read(v, s.image); }, [](const S& s) { return json(s.image); }},
    {"max_processes", [](const json& v, S& s) { return read_integer(v, s.max_processes); },
     [](const S& s) { return optional_json(s.max_processes); }},
    {"memory_bytes", [](const json& v, S& s) { return read_integer(v, s.memory_bytes); },
     [](const S& s) { return optional_json(s.memory_bytes); }},
    {"network", [](const json& v, S& s) { return read(v, s.network); }, [](const S& s) { return json(s.network); }},
    {"runner", [](const json& v, S& s) { return read(v, s.runner); },
     [](const S& s) { return json(word_of(s.runner)); }},
    {"script", [](const json& v, S& s) { return read(v, s.script); }, [](const S& s) { return json(s.script); }},
    {"secrets", [](const json& v, S& s) { return read(v, s.secrets); }, [](const S& s) { return json(s.secrets); }},
    {"type", [](const json& v, S& s) { return read(v, s.kind); }, [](const S& s) { return json(word_of(s.kind)); }},
    {"volumes", [](const json& v, S& s) { return read(v, s.volumes); }, [](const S& s) { return json(s.volumes); }},
};

Defect unknown_spec_key(const std::string& key) {
    std::vector<std::string> known;
    for (const SpecMember& member : spec_members) known.emplace_back(member.key);
    return concat("unknown key ", found(key), "; the keys are ", join(known, ", "));
}

Defect read_member(const std::string& key, const json& value, TaskSpec& spec) {
    for (const SpecMember& member : spec_members) {
        if (key != member.key) continue;
        const Defect defect = member.read(value, spec);
        return defect.empty() ? defect : concat(key, " ", defect);
    }
    return unknown_spec_key(key);
}

}  // namespace

std::string to_json_text(const TaskSpec& spec) {
    static const TaskSpec standard;
    json object = json::object();
    for (const SpecMember& member : spec_members) {
        json value = member.write(spec);
        if (value != member.write(standard)) object[std::string(member.key)] = std::move(value);
    }
    return object.dump();
}

Result<TaskSpec, std::string> parse_task_spec(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (object.is_discarded()) return Failure<std::string>{"a task's specification must be a JSON object"};
    if (!object.is_object())
        return Failure{concat("a task's specification must be a JSON object, not ", found(object))};
    TaskSpec spec;
    for (const auto& [key, value] : object.items())
        if (Defect defect = read_member(key, value, spec); !defect.empty()) return Failure{defect};
    for (const SpecDefect& defect : spec_defects(spec)) return Failure{concat(defect.member, " ", defect.problem)};
    return spec;
}

}  // namespace holdfast::core
