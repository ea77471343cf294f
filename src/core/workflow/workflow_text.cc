#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "core/json_text.h"
#include "core/task/task_options.h"
#include "core/workflow/workflow.h"

namespace holdfast::core {

namespace {

using nlohmann::json;
using Defect = std::string;  // empty: none

// ---- Values: each kind of member is written and read by one pair of functions -------------------------------------

Defect unlike(std::string_view wanted, const json& value) {
    return concat("must be ", wanted, ", not ", found(value));
}

Defect read(const json& value, std::string& target) {
    if (!value.is_string()) return unlike("a text", value);
    target = value.get<std::string>();
    return {};
}

Defect read(const json& value, bool& target) {
    if (!value.is_boolean()) return unlike("true or false", value);
    target = value.get<bool>();
    return {};
}

Defect read(const json& value, int& target) {
    const bool fits = value.is_number_integer() && value >= std::numeric_limits<int>::min() &&
                      value <= std::numeric_limits<int>::max();
    if (!fits) return unlike("a whole number", value);
    target = value.get<int>();
    return {};
}

Defect read(const json& value, json& target) {
    target = value;
    return {};
}

Defect read(const json& value, Duration& target) {
    const auto length =
        value.is_string() ? parse_duration(value.get<std::string>(), std::chrono::seconds(1)) : std::nullopt;
    if (!length) return unlike("a duration", value);
    target = *length;
    return {};
}

Defect read(const json& value, std::map<std::string, std::string>& target) {
    if (!value.is_object()) return unlike("an object of texts", value);
    for (const auto& [name, item] : value.items())
        if (!read(item, target[name]).empty()) return unlike("an object of texts", value);
    return {};
}

Defect read(const json& value, TaskPolicy& target) {
    auto policy = decode_policy(value.dump(-1, ' ', false, json::error_handler_t::replace));
    if (!policy.ok()) return concat("cannot be read: ", policy.error());
    target = std::move(policy).value();
    if (!value.contains("unmatched")) target.unmatched = Unmatched::Auto;
    return {};
}

Defect read(const json& value, TaskSpec& target) {
    auto spec = parse_task_spec(value.dump(-1, ' ', false, json::error_handler_t::replace));
    if (!spec.ok()) return concat("cannot be read: ", spec.error());
    target = std::move(spec).value();
    return {};
}

template <Worded Enum>
Defect read(const json& value, Enum& target) {
    const auto word = value.is_string() ? parse_word<Enum>(value.get_ref<const std::string&>()) : std::nullopt;
    if (!word) return unlike(words_to_choose<Enum>(), value);
    target = *word;
    return {};
}

Defect read(const json& value, Join& target) {
    if (!value.is_number_integer()) return read(value, target.kind);
    target.kind = JoinKind::Quorum;
    return read(value, target.quorum);
}

/// An object with a table of its members, below.
template <typename Object>
concept Tabled =
    std::same_as<Object, InputField> || std::same_as<Object, WorkflowStep> || std::same_as<Object, Workflow>;

template <Tabled Object>
Defect read(const json& value, Object& target);

template <typename Content>
Defect read(const json& value, std::optional<Content>& target) {
    return read(value, target.emplace());
}

template <typename Item>
Defect read(const json& value, std::vector<Item>& target) {
    if (!value.is_array()) return unlike("a list", value);
    for (const json& item : value)
        if (Defect defect = read(item, target.emplace_back()); !defect.empty())
            return concat('[', target.size() - 1, "] ", defect);
    return {};
}

template <typename Value>
json write(const Value& value) {
    return value;
}
json write(const Duration& value) {
    return format_duration(value);
}
/// Writes the policy as for a task, except for `unmatched`: Auto, the default of a step, is left out, and Wait is
/// written.
json write(const TaskPolicy& value) {
    const std::string text = encode_policy(value);
    json policy = text.empty() ? json::object() : json::parse(text);
    if (value.unmatched == Unmatched::Auto) policy.erase("unmatched");
    if (value.unmatched == Unmatched::Wait) policy["unmatched"] = "wait";
    return policy;
}
json write(const TaskSpec& value) {
    return json::parse(to_json_text(value));
}
template <Worded Enum>
json write(const Enum& value) {
    return word_of(value);
}
json write(const Join& value) {
    return value.kind == JoinKind::Quorum ? json(value.quorum) : json(word_of(value.kind));
}
template <Tabled Object>
json write(const Object& object);

template <typename Content>
json write(const std::optional<Content>& value) {
    return write(value.value());
}

template <typename Item>
json write(const std::vector<Item>& value) {
    json list = json::array();
    for (const Item& item : value) list.push_back(write(item));
    return list;
}

// ---- Objects: a table of their members ----------------------------------------------------------------------------

template <typename Object>
struct Member {
    std::string_view key;
    Defect (*read)(const json& value, Object& object);
    /// Whether the member equals that of a default object; it is then left out of the text.
    bool (*is_standard)(const Object& object, const Object& standard);
    json (*write)(const Object& object);
};

template <auto Pointer, typename Object>
constexpr Member<Object> member(std::string_view key) {
    return {key, [](const json& value, Object& object) { return read(value, object.*Pointer); },
            [](const Object& object, const Object& standard) { return object.*Pointer == standard.*Pointer; },
            [](const Object& object) { return write(object.*Pointer); }};
}

template <Tabled Object>
constexpr auto members_of = nullptr;

using F = InputField;
template <>
constexpr auto members_of<F> = std::to_array<Member<F>>({
    member<&F::allowed, F>("enum"),
    member<&F::default_value, F>("default"),
    member<&F::description, F>("description"),
    member<&F::name, F>("name"),
    member<&F::required, F>("required"),
    member<&F::type, F>("type"),
});

using S = WorkflowStep;
template <>
constexpr auto members_of<S> = std::to_array<Member<S>>({
    member<&S::allow_failed_deps, S>("allow_failed_deps"),
    member<&S::concurrency_key, S>("concurrency_key"),
    member<&S::concurrency_limit, S>("concurrency_limit"),
    member<&S::depends_on, S>("depends_on"),
    member<&S::env, S>("env"),
    member<&S::for_each, S>("for_each"),
    member<&S::input, S>("input"),
    member<&S::join, S>("join"),
    member<&S::key_reads_args, S>("key_reads_args"),
    member<&S::kind, S>("kind"),
    member<&S::message, S>("message"),
    member<&S::name, S>("name"),
    member<&S::parallel, S>("parallel"),
    member<&S::policy, S>("policy"),
    member<&S::priority, S>("priority"),
    member<&S::queue, S>("queue"),
    member<&S::sequential, S>("sequential"),
    member<&S::spec, S>("spec"),
    member<&S::spec_reads_args, S>("spec_reads_args"),
    member<&S::tags, S>("tags"),
    member<&S::task, S>("task"),
    member<&S::wait_for, S>("wait_for"),
    member<&S::wait_until, S>("wait_until"),
    member<&S::when, S>("when"),
    member<&S::workflow, S>("workflow"),
});

using W = Workflow;
template <>
constexpr auto members_of<W> = std::to_array<Member<W>>({
    member<&W::description, W>("description"),
    member<&W::input, W>("input"),
    member<&W::name, W>("name"),
    member<&W::on_cancel, W>("on_cancel"),
    member<&W::on_error, W>("on_error"),
    member<&W::on_failure, W>("on_failure"),
    member<&W::on_success, W>("on_success"),
    member<&W::optional, W>("optional"),
    member<&W::output, W>("output"),
    member<&W::queue_timeout, W>("queue_timeout"),
    member<&W::steps, W>("steps"),
    member<&W::success, W>("success"),
    member<&W::timeout, W>("timeout"),
});

template <Tabled Object>
json write(const Object& object) {
    static const Object standard;
    json text = json::object();
    for (const Member<Object>& member : members_of<Object>)
        if (!member.is_standard(object, standard)) text[std::string(member.key)] = member.write(object);
    return text;
}

template <Tabled Object>
Defect read(const json& value, Object& target) {
    if (!value.is_object()) return unlike("an object", value);
    for (const auto& [key, member_value] : value.items()) {
        const auto member = std::ranges::find(members_of<Object>, key, &Member<Object>::key);
        if (member == members_of<Object>.end()) return concat("has the unknown key ", found(key));
        if (Defect defect = member->read(member_value, target); !defect.empty()) return concat(key, " ", defect);
    }
    return {};
}

Defect read_bundle(const json& text, WorkflowBundle& bundle) {
    const bool has_form = text.is_object() && text.size() == 2 && text.contains("main") &&
                          text.contains("workflows") && text["workflows"].is_object();
    if (!has_form) return R"(must be an object {"main": NAME, "workflows": {...}})";
    if (Defect defect = read(text["main"], bundle.main); !defect.empty()) return concat("main ", defect);
    for (const auto& [name, workflow] : text["workflows"].items())
        if (Defect defect = read(workflow, bundle.workflows[name]); !defect.empty())
            return concat("workflow ", found(name), ": ", defect);
    if (!bundle.workflows.contains(bundle.main)) return concat("has no workflow ", found(bundle.main));
    return {};
}

}  // namespace

std::string to_json_text(const WorkflowBundle& bundle) {
    json workflows = json::object();
    for (const auto& [name, workflow] : bundle.workflows) workflows[name] = write(workflow);
    const json text{{"main", bundle.main}, {"workflows", std::move(workflows)}};
    return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<WorkflowBundle, std::string> parse_workflow_bundle(std::string_view text) {
    const json parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded()) return Failure<std::string>{"a workflow's definition must be JSON, and this is not"};
    WorkflowBundle bundle;
    if (Defect defect = read_bundle(parsed, bundle); !defect.empty())
        return Failure{concat("a workflow's definition ", defect)};
    return bundle;
}

}  // namespace holdfast::core
