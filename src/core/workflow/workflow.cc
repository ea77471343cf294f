#include "core/workflow/workflow.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "core/json_text.h"
#include "core/workflow/check.h"

namespace holdfast::core {

namespace {

using nlohmann::json;

struct TypeRule {
    InputType type;
    std::string_view described;
    bool (*fits)(const json& value);
};
constexpr TypeRule type_rules[] = {
    {InputType::Any, "a value", [](const json&) { return true; }},
    {InputType::Text, "a text", [](const json& value) { return value.is_string(); }},
    {InputType::Number, "a number", [](const json& value) { return value.is_number(); }},
    {InputType::Integer, "a whole number", [](const json& value) { return value.is_number_integer(); }},
    {InputType::Boolean, "true or false", [](const json& value) { return value.is_boolean(); }},
    {InputType::List, "a list", [](const json& value) { return value.is_array(); }},
    {InputType::Object, "an object", [](const json& value) { return value.is_object(); }},
};
static_assert(std::size(type_rules) == word_table<InputType>.size());

std::string unknown_member(const std::vector<InputField>& fields, const std::string& name) {
    const auto near = nearest_word(name, names_in(fields));
    if (near) return concat(found(name), " is not an input of this workflow; did you mean ", found(*near), "?");
    return concat(found(name), " is not an input of this workflow; it takes ", join(names_in(fields), ", "));
}

std::vector<std::string> names_of_workflows(const std::map<std::string, Workflow>& workflows) {
    std::vector<std::string> names;
    for (const auto& [name, workflow] : workflows) names.push_back(name);
    return names;
}

}  // namespace

WorkflowBundle bundle_of(const std::string& main, const std::map<std::string, Workflow>& all) {
    WorkflowBundle bundle{.main = main, .workflows = {}};
    std::vector<std::string> wanted{main};
    while (!wanted.empty()) {
        const std::string name = std::move(wanted.back());
        wanted.pop_back();
        const auto found = all.find(name);
        if (found == all.end() || !bundle.workflows.emplace(name, found->second).second) continue;
        for (const WorkflowStep& step : found->second.steps)
            if (step.kind == StepKind::Workflow) wanted.push_back(step.workflow);
    }
    return bundle;
}

std::vector<std::string> queues_of(const WorkflowBundle& bundle) {
    std::set<std::string> queues;
    for (const auto& [name, workflow] : bundle.workflows)
        for (const auto* steps : {&workflow.steps, &workflow.on_success, &workflow.on_failure, &workflow.on_cancel})
            for (const WorkflowStep& step : *steps)
                if (step.kind == StepKind::Task) queues.insert(step.queue);
    return {queues.begin(), queues.end()};
}

bool belongs_to(const std::vector<std::string>& queues, const std::vector<std::string>& allowed) {
    return !queues.empty() && std::ranges::all_of(queues, [&](const std::string& queue) {
        return std::ranges::find(allowed, queue) != allowed.end();
    });
}

std::string unknown_workflow(const std::string& name, const std::map<std::string, Workflow>& known,
                             std::string_view where) {
    const auto names = names_of_workflows(known);
    const auto meant = nearest_word(name, names);
    return concat("there is no workflow '", name, "' in ", where,
                  meant ? concat(" (did you mean '", *meant, "'?)") : "",
                  names.empty() ? std::string("; it defines none") : concat("; there are: ", join(names, ", ")));
}

std::string unnamed_workflow(const std::map<std::string, Workflow>& known, std::string_view where) {
    if (known.empty()) return concat(where, " defines no workflow");
    return concat(where, " defines more than one workflow; name one of: ", join(names_of_workflows(known), ", "));
}

std::optional<std::string> misfit(const InputField& field, const json& value) {
    const TypeRule& rule = *std::ranges::find(type_rules, field.type, &TypeRule::type);
    if (!rule.fits(value)) return concat("must be ", rule.described, ", not ", found(value));
    if (field.allowed.empty() || std::ranges::find(field.allowed, value) != field.allowed.end()) return std::nullopt;
    std::vector<std::string> words;
    for (const json& word : field.allowed) words.push_back(found(word));
    return concat("must be one of ", join(words, ", "), ", not ", found(value));
}

Result<json, std::vector<std::string>> checked_input(const Workflow& workflow, const json& input) {
    json checked = input.is_null() ? json::object() : input;
    if (!checked.is_object())
        return Failure<std::vector<std::string>>{{concat("the input must be an object, not ", found(input))}};
    if (workflow.input.empty()) return checked;
    std::vector<std::string> faults;
    for (const InputField& field : workflow.input) {
        if (const auto given = checked.find(field.name); given != checked.end()) {
            if (const auto fault = misfit(field, *given)) faults.push_back(concat(found(field.name), " ", *fault));
        } else if (field.default_value) {
            checked[field.name] = *field.default_value;
        } else if (field.required) {
            faults.push_back(concat(found(field.name), " is missing: it is required"));
        }
    }
    for (const auto& [name, value] : input.items())
        if (std::ranges::find(workflow.input, name, &InputField::name) == workflow.input.end())
            faults.push_back(unknown_member(workflow.input, name));
    if (!faults.empty()) return Failure{std::move(faults)};
    return checked;
}

Result<std::string, std::vector<std::string>> checked_input_text(const Workflow& workflow, std::string_view input) {
    const json given = json::parse(input, nullptr, false);
    auto checked = checked_input(workflow, given);
    if (!checked.ok()) return Failure{std::move(checked).error()};
    if (given.is_object() && checked->size() == given.size()) return std::string(input);
    std::vector<std::pair<std::string, std::string>> members;
    for (const auto& [name, value] : json_members(input)) members.emplace_back(name, value);
    for (const auto& [name, value] : checked->items())
        if (!given.contains(name)) members.emplace_back(name, value.dump());
    return json_object(members);
}

}  // namespace holdfast::core
