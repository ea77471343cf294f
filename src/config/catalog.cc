#include "config/catalog.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "base/text.h"

namespace holdfast::config {

namespace {

using Lookup = std::function<Result<std::string, std::string>(std::string_view path)>;

bool is_path(std::string_view text) {
    const auto is_part_of_a_name = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
    };
    const bool has_empty_part = text.find("..") != std::string_view::npos || text.ends_with('.');
    return (text == "input" || text.starts_with("input.")) && !has_empty_part &&
           std::all_of(text.begin(), text.end(), is_part_of_a_name);
}

/// Expands the text; `lookup` returns the replacement of each reference.
Result<std::string, std::string> expand(std::string_view text, const Lookup& lookup) {
    std::string expanded;
    for (;;) {
        const std::size_t open = text.find("{{");
        expanded += text.substr(0, open);
        if (open == std::string_view::npos) return expanded;
        const std::size_t close = text.find("}}", open);
        if (close == std::string_view::npos) return Failure<std::string>{"has a {{ without its }}"};
        const std::string_view path = trimmed(text.substr(open + 2, close - open - 2));
        if (!is_path(path)) return Failure{concat("has {{ ", path, " }}; write {{ input.NAME }}")};
        auto value = lookup(path);
        if (!value.ok()) return value;
        expanded += value.value();
        text.remove_prefix(close + 2);
    }
}

Result<std::string, std::string> member_text(std::string_view path, const nlohmann::json& input) {
    const nlohmann::json* found = &input;
    for (std::string_view rest = path.substr(std::min<std::size_t>(6, path.size())); !rest.empty();) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const std::string name(rest.substr(0, dot));
        if (!found->is_object() || !found->contains(name))
            return Failure{concat("needs ", path, ", which the arguments do not have")};
        found = &(*found)[name];
        rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    return found->is_string() ? found->get<std::string>() : found->dump();
}

/// Calls `see(key, text)` for each text of the definition that may hold `{{ input.x }}`.
void visit_templates(auto& definition, const auto& see) {
    if (definition.spec) {
        for (auto& [name, text] : definition.spec->env) see(concat("env.", name), text);
        for (auto& word : definition.spec->command) see("command", word);
    }
    if (definition.options.concurrency) see("concurrency_key", definition.options.concurrency->key);
}

}  // namespace

Result<TaskDefinition, std::string> filled(TaskDefinition definition, const nlohmann::json& args) {
    std::string fault;  // of the first text that has one
    visit_templates(definition, [&](std::string_view key, std::string& text) {
        auto value = expand(text, [&](std::string_view path) { return member_text(path, args); });
        if (value.ok())
            text = std::move(value).value();
        else if (fault.empty())
            fault = concat(key, " ", value.error());
    });
    if (!fault.empty()) return Failure{fault};
    return definition;
}

Result<Submission, std::string> submission_of(const TaskDefinition& definition, const nlohmann::json& args) {
    auto submission = filled(definition, args);
    if (submission.ok()) return submission;
    return Failure{concat("task ", definition.name, " (", to_text(definition.origin), "): ", submission.error())};
}

std::vector<std::string> parameters_of(const TaskDefinition& definition) {
    std::set<std::string> names;
    const auto note = [&](std::string_view path) {
        path.remove_prefix(std::min(path.size(), std::string_view("input.").size()));
        if (!path.empty()) names.emplace(path.substr(0, path.find('.')));
        return std::string();
    };
    visit_templates(definition, [&](const auto&, const std::string& text) { (void)expand(text, note); });
    return {names.begin(), names.end()};
}

std::vector<std::pair<std::string, std::string>> template_faults(const TaskDefinition& definition) {
    std::vector<std::pair<std::string, std::string>> faults;
    visit_templates(definition, [&](std::string_view key, const std::string& text) {
        const auto expanded = expand(text, [](std::string_view) { return std::string(); });
        if (!expanded.ok()) faults.emplace_back(key.substr(0, key.find('.')), expanded.error());
    });
    return faults;
}

}  // namespace holdfast::config
