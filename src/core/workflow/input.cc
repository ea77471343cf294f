#include "core/workflow/input.h"

#include <algorithm>

#include "base/text.h"
#include "core/json_text.h"

namespace holdfast::core {

namespace {

using nlohmann::json;

/// The value as text for an error message, shortened to fit into a sentence.
std::string shown(const json& value) {
    const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() <= 60 ? text : concat(text.substr(0, 57), "...");
}

std::string_view article_and_type(InputType type) {
    switch (type) {
        case InputType::Any:
            return "a value";
        case InputType::Text:
            return "a text";
        case InputType::Number:
            return "a number";
        case InputType::Integer:
            return "a whole number";
        case InputType::Boolean:
            return "true or false";
        case InputType::List:
            return "a list";
        case InputType::Object:
            return "an object";
    }
    return "";
}

std::vector<std::string> names_of(const std::vector<InputField>& fields) {
    std::vector<std::string> names;
    for (const InputField& field : fields) names.push_back(field.name);
    return names;
}

std::string unknown_member(const std::vector<InputField>& fields, const std::string& name) {
    const auto near = nearest_word(name, names_of(fields));
    if (near) return concat(shown(name), " is not an input of this workflow; did you mean ", shown(*near), "?");
    return concat(shown(name), " is not an input of this workflow; it takes ", join(names_of(fields), ", "));
}

bool has_type(const json& value, InputType type) {
    switch (type) {
        case InputType::Any:
            return true;
        case InputType::Text:
            return value.is_string();
        case InputType::Number:
            return value.is_number();
        case InputType::Integer:
            return value.is_number_integer();
        case InputType::Boolean:
            return value.is_boolean();
        case InputType::List:
            return value.is_array();
        case InputType::Object:
            return value.is_object();
    }
    return false;
}

}  // namespace

std::optional<std::string> misfit(const InputField& field, const json& value) {
    if (!has_type(value, field.type)) return concat("must be ", article_and_type(field.type), ", not ", shown(value));
    if (field.allowed.empty() || std::ranges::find(field.allowed, value) != field.allowed.end()) return std::nullopt;
    std::vector<std::string> words;
    for (const json& word : field.allowed) words.push_back(shown(word));
    return concat("must be one of ", join(words, ", "), ", not ", shown(value));
}

Result<json, std::vector<std::string>> checked_input(const Workflow& workflow, const json& input) {
    json checked = input.is_null() ? json::object() : input;
    if (!checked.is_object())
        return Failure<std::vector<std::string>>{{concat("the input must be an object, not ", shown(input))}};
    if (workflow.input.empty()) return checked;
    std::vector<std::string> faults;
    for (const InputField& field : workflow.input) {
        if (const auto given = checked.find(field.name); given != checked.end()) {
            if (const auto fault = misfit(field, *given)) faults.push_back(concat(shown(field.name), " ", *fault));
        } else if (field.default_value) {
            checked[field.name] = *field.default_value;
        } else if (field.required) {
            faults.push_back(concat(shown(field.name), " is missing: it is required"));
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
