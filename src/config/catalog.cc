#include "config/catalog.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "base/text.h"
#include "config/keys.h"
#include "config/sections.h"
#include "core/task/task_options.h"

namespace holdfast::config {

namespace {

// ---- Templates ----------------------------------------------------------------------------------------------------

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

// ---- Reading ------------------------------------------------------------------------------------------------------

/// Reads one definition.
class DefinitionReader {
public:
    DefinitionReader(const SourceNode& node, Complaints& complaints) : node_(node), complaints_(complaints) {}

    std::optional<TaskDefinition> read() {
        const std::size_t complaints_before = complaints_.count();
        check_name();
        if (!is_mapping()) return std::nullopt;
        definition_.name = node_.key;
        definition_.origin = complaints_.origin(node_.key_at);
        definition_.spec.emplace();
        for (const SourceNode& entry : node_.children) read_entry(entry);
        // With an invalid kind, further checks would only report follow-up errors.
        if (!faulty_.contains("type") && !faulty_.contains("runner")) check_whole();
        if (complaints_.count() > complaints_before) return std::nullopt;
        if (const SourceNode* entry = node_.find("concurrency_key"))
            complaints_.note_key(*entry, *definition_.options.concurrency, definition_.options.queue);
        return std::move(definition_);
    }

private:
    void check_name() {
        if (node_.key.empty() || node_.key.size() > max_name_bytes)
            complaints_.complain(node_, node_.path, concat("a task's name has 1 to ", max_name_bytes, " bytes"));
        else if (const auto defect = name_defect(node_.key))
            complaints_.complain(node_, node_.path, concat("the task's name ", *defect));
    }

    bool is_mapping() {
        if (node_.kind == NodeKind::Mapping) return true;
        const bool is_text = node_.kind == NodeKind::Scalar;
        complaints_.complain_at(node_.at, node_.path, concat(word_of(node_.kind), " instead of a mapping"),
                                is_text ? concat("write ", node_.key, ": {script: ...}") : "");
        return false;
    }

    void read_entry(const SourceNode& entry) {
        const TaskKey* key = find_option(task_keys(), entry.key);
        if (key == nullptr) return complaints_.unknown_key(entry, names_of(task_keys()));
        const auto value = complaints_.read(*key, entry);
        if (!value)
            faulty_.insert(entry.key);
        else if (!key->of_spec || !is_function())
            key->assign(definition_, *value);
    }

    /// Runs the checks that involve more than one key.
    void check_whole() {
        if (is_function())
            check_function();
        else
            check_spec();
        visit_templates(definition_, [&](std::string_view key, const std::string& text) {
            const auto expanded = expand(text, [](std::string_view) { return std::string(); });
            if (!expanded.ok()) complain_about(key.substr(0, key.find('.')), expanded.error());
        });
        check_options();
        const auto& concurrency = definition_.options.concurrency;
        if (concurrency && concurrency->key.empty() && !faulty_.contains("concurrency_key"))
            complain_about("concurrency_limit", "needs concurrency_key");
    }

    void check_function() {
        for (const TaskKey& key : task_keys())
            if (key.of_spec && node_.find(key.name) != nullptr)
                complain_about(key.name, "has no meaning for a function");
    }

    void check_spec() {
        for (const core::SpecDefect& defect : core::spec_defects(*definition_.spec)) {
            const std::string key = defect.member == "memory_bytes" ? "memory" : defect.member;
            if (!faulty_.contains(key)) complain_about(key, defect.problem);
        }
    }

    void check_options() {
        for (const core::TaskOption& option : core::task_options()) {
            const auto defect = core::option_defect(option, option.name, option.get(definition_.options));
            if (!defect.empty()) complain_about(option.name, defect.substr(option.name.size() + 1));
        }
    }

    /// Reports a fault at the line of the key, or of the definition when the key is missing.
    void complain_about(std::string_view key, std::string title) {
        const SourceNode* entry = node_.find(key);
        complaints_.complain(entry == nullptr ? node_ : *entry, concat(node_.path, '.', key), std::move(title));
    }

    /// Looks up `type` directly, because it may come after the other keys.
    [[nodiscard]] bool is_function() const {
        const SourceNode* type = node_.find("type");
        return type != nullptr && type->kind == NodeKind::Scalar && type->scalar == "function";
    }

    const SourceNode& node_;
    Complaints& complaints_;
    TaskDefinition definition_;
    std::set<std::string, std::less<>> faulty_;  // keys with an invalid value
};

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

KnownTasks read_tasks(const SourceNode& section, const std::string& file, Draft& draft) {
    KnownTasks tasks;
    Complaints complaints(file, draft);
    if (section.kind == NodeKind::Scalar || section.kind == NodeKind::Sequence)
        draft.complain({.where = complaints.origin(section.at),
                        .key = section.path,
                        .title = concat(word_of(section.kind), " instead of a mapping"),
                        .found = shown_under(section.path, section),
                        .allowed = "a mapping of names to definitions: {backup: {script: ...}}"});
    if (section.kind != NodeKind::Mapping) return tasks;
    for (const SourceNode& node : section.children) {
        if (auto definition = DefinitionReader(node, complaints).read())
            tasks.catalog.emplace(node.key, std::move(*definition));
        else
            tasks.faulty.insert(node.key);
    }
    return tasks;
}

}  // namespace holdfast::config
