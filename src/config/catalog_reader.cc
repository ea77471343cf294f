#include "config/catalog_reader.h"

#include <set>

#include "base/name.h"
#include "base/text.h"
#include "config/input_template.h"
#include "config/keys.h"
#include "config/shown.h"
#include "config/values.h"
#include "core/task/task_options.h"

namespace holdfast::config {

namespace {

/// Reads one definition.
class DefinitionReader {
public:
    DefinitionReader(const SourceNode& node, const std::string& file, Draft& draft)
        : node_(node), file_(file), draft_(draft) {}

    std::optional<TaskDefinition> read() {
        check_name();
        if (!is_mapping()) return std::nullopt;
        definition_.origin = origin(node_.key_at);
        definition_.spec.emplace();
        for (const SourceNode& entry : node_.children) read_entry(entry);
        // With an invalid kind, further checks would only report follow-up errors.
        if (!faulty_.contains("type") && !faulty_.contains("runner")) check_whole();
        if (is_faulty_) return std::nullopt;
        note_key();
        return std::move(definition_);
    }

private:
    void check_name() {
        if (node_.key.empty() || node_.key.size() > max_name_bytes)
            complain(node_.key_at, node_.path, concat("a task's name has 1 to ", max_name_bytes, " bytes"), "");
        else if (const auto defect = name_defect(node_.key))
            complain(node_.key_at, node_.path, concat("the task's name ", *defect), "");
    }

    bool is_mapping() {
        if (node_.kind == NodeKind::Mapping) return true;
        const bool is_text = node_.kind == NodeKind::Scalar;
        complain(node_.at, node_.path, concat(word_of(node_.kind), " instead of a mapping"),
                 is_text ? concat("write ", node_.key, ": {script: ...}") : "");
        return false;
    }

    void read_entry(const SourceNode& entry) {
        const TaskKey* key = find_option(task_keys(), entry.key);
        if (key == nullptr) return refuse_key(entry);
        const auto value = read_value(*key, entry);
        if (value.ok()) {
            if (!key->of_spec || !is_function()) key->assign(definition_, value.value());
            return;
        }
        is_faulty_ = true;
        faulty_.insert(entry.key);
        draft_.complain({.where = origin(entry.key_at),
                         .key = entry.path,
                         .title = value.error().title,
                         .found = shown_under(entry.key, entry),
                         .allowed = allowed_values(*key),
                         .suggestion = value.error().suggestion});
    }

    void refuse_key(const SourceNode& entry) {
        const auto near = nearest_word(entry.key, names_of(task_keys()));
        is_faulty_ = true;
        draft_.complain({.where = origin(entry.key_at),
                         .key = mask_password(entry.path),
                         .title = "unknown key",
                         .found = shown_under(entry.key, entry),
                         .allowed = join(names_of(task_keys()), ", "),
                         .suggestion = near ? concat("did you mean ", *near, "?") : ""});
    }

    /// Runs the checks that involve more than one key.
    void check_whole() {
        if (is_function())
            check_function();
        else
            check_spec();
        check_templates();
        check_options();
        const auto& concurrency = definition_.options.concurrency;
        if (concurrency && concurrency->key.empty() && !faulty_.contains("concurrency_key"))
            complain_about("concurrency_limit", "needs concurrency_key");
    }

    void note_key() {
        const SourceNode* entry = node_.find("concurrency_key");
        if (entry == nullptr) return;
        const SubmitOptions& options = definition_.options;
        draft_.note({.where = origin(entry->key_at),
                     .path = entry->path,
                     .key = options.concurrency->key,
                     .queue = options.queue,
                     .limit = options.concurrency->limit});
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

    void check_templates() {
        const auto check = [&](std::string_view key, const std::string& text) {
            if (const auto fault = template_fault(text)) complain_about(key, *fault);
        };
        if (definition_.spec) {
            for (const auto& [name, text] : definition_.spec->env) check("env", text);
            for (const auto& word : definition_.spec->command) check("command", word);
        }
        if (definition_.options.concurrency) check("concurrency_key", definition_.options.concurrency->key);
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
        complain(entry == nullptr ? node_.key_at : entry->key_at, concat(node_.path, '.', key), std::move(title), "");
    }

    void complain(Position at, std::string key, std::string title, std::string suggestion) {
        is_faulty_ = true;
        draft_.complain({.where = origin(at),
                         .key = std::move(key),
                         .title = std::move(title),
                         .found = "",
                         .allowed = "",
                         .suggestion = std::move(suggestion)});
    }

    [[nodiscard]] Origin origin(Position at) const { return {OriginKind::File, file_, at}; }

    /// Looks up `type` directly, because it may come after the other keys.
    [[nodiscard]] bool is_function() const {
        const SourceNode* type = node_.find("type");
        return type != nullptr && type->kind == NodeKind::Scalar && type->scalar == "function";
    }

    const SourceNode& node_;
    const std::string& file_;
    Draft& draft_;
    TaskDefinition definition_;
    std::set<std::string, std::less<>> faulty_;  // keys with an invalid value
    bool is_faulty_ = false;
};

}  // namespace

Catalog read_catalog(const SourceNode& section, const std::string& file, Draft& draft) {
    Catalog catalog;
    if (section.kind == NodeKind::Null) return catalog;
    if (section.kind != NodeKind::Mapping) {
        draft.complain({.where = {OriginKind::File, file, section.at},
                        .key = section.path,
                        .title = concat(word_of(section.kind), " instead of a mapping"),
                        .found = shown_under(section.path, section),
                        .allowed = "a mapping of names to definitions: {backup: {script: ...}}",
                        .suggestion = ""});
        return catalog;
    }
    for (const SourceNode& node : section.children)
        if (auto definition = DefinitionReader(node, file, draft).read())
            catalog.emplace(node.key, std::move(*definition));
    return catalog;
}

std::set<std::string> faulty_names(const SourceNode& section, const Catalog& catalog) {
    std::set<std::string> names;
    for (const SourceNode& node : section.children)
        if (!catalog.contains(node.key)) names.insert(node.key);
    return names;
}

}  // namespace holdfast::config
