#include "config/workflow_section.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "config/catalog_reader.h"
#include "config/workflow_reader.h"

namespace holdfast::config {

namespace {

namespace fs = std::filesystem;

bool is_yaml(const fs::path& path) {
    return path.extension() == ".yaml" || path.extension() == ".yml";
}

/// Adds the tasks of a workflow's own file; they take precedence over those of the configuration.
KnownTasks overridden_with(KnownTasks tasks, const SourceNode* section, const std::string& file, Draft& draft) {
    if (section == nullptr) return tasks;
    for (auto& [name, definition] : read_catalog(*section, file, draft))
        tasks.catalog.insert_or_assign(name, std::move(definition));
    for (const std::string& name : faulty_names(*section, tasks.catalog)) tasks.faulty.insert(name);
    return tasks;
}

}  // namespace

std::size_t WorkflowSection::open(const std::string& file) {
    files_.emplace_back(file, draft_);
    names_of_files_.push_back(file);
    return files_.size() - 1;
}

void WorkflowSection::read_section(const SourceNode& section, const std::string& file, const KnownTasks& tasks) {
    if (section.kind == NodeKind::Null) return;
    if (section.kind == NodeKind::Scalar) return read_directory(section, file, tasks);
    read_mapping(section, tasks, open(file));
}

void WorkflowSection::read_mapping(const SourceNode& section, const KnownTasks& tasks, std::size_t complaints) {
    if (section.kind != NodeKind::Mapping)
        return of(complaints)
            .misfit(section, concat(word_of(section.kind), " instead of a mapping"),
                    "a mapping of names to workflows: {nightly: {steps: ...}}, or a directory");
    for (const SourceNode& node : section.children)
        add(node, read_workflow(node, node.key, {}, tasks, of(complaints)), complaints);
}

void WorkflowSection::read_directory(const SourceNode& section, const std::string& file, const KnownTasks& tasks) {
    const fs::path directory = fs::path(file).parent_path() / section.scalar;
    std::vector<std::string> names;
    std::error_code fault;
    for (fs::directory_iterator entry(directory, fault), end; !fault && entry != end; entry.increment(fault))
        if (is_yaml(entry->path())) names.push_back(entry->path().string());
    if (fault)
        return of(open(file))
            .misfit(section, concat("cannot read the directory: ", fault.message()),
                    "a mapping of names to workflows, or a directory of files");
    std::sort(names.begin(), names.end());
    const Origin named_by{OriginKind::File, file, section.key_at};
    for (const std::string& name : names) read_file(name, named_by, tasks);
}

void WorkflowSection::read_file(const std::string& file, const Origin& named_by, const KnownTasks& tasks) {
    const auto content = read_content(file);
    if (!content.ok())
        return draft_.complain({.where = named_by,
                                .key = "",
                                .title = concat("cannot read ", file, ": ", content.error()),
                                .found = "",
                                .allowed = "",
                                .suggestion = ""});
    read_text(content.value(), file, tasks);
}

void WorkflowSection::read_text(const std::string& content, const std::string& name, const KnownTasks& tasks) {
    YamlText& text = texts_.emplace_back(read_yaml(content, name));
    const bool is_readable = text.errors.empty() || text.root.kind != NodeKind::Null;
    draft_.complain(std::move(text.errors));
    if (is_readable) read_root(text.root, name, tasks);
}

void WorkflowSection::read_root(const SourceNode& root, const std::string& file, const KnownTasks& tasks) {
    const std::size_t complaints = open(file);
    const SourceNode* section = root.find("workflows");
    const KnownTasks known = overridden_with(tasks, root.find("tasks"), file, draft_);
    if (section == nullptr) {
        const SourceNode* name = root.find("name");
        const bool is_named = name != nullptr && name->kind == NodeKind::Scalar;
        const std::string chosen = is_named ? name->scalar : fs::path(file).stem().string();
        return add(root, read_workflow(root, chosen, {"name", "tasks"}, known, of(complaints)), complaints);
    }
    for (const SourceNode& entry : root.children)
        if (entry.key != "workflows" && entry.key != "tasks")
            of(complaints).unknown_key(entry, {"workflows", "tasks"});
    read_mapping(*section, known, complaints);
}

void WorkflowSection::add(const SourceNode& node, core::Workflow workflow, std::size_t complaints) {
    const std::string name = workflow.name;
    const auto [source, is_new] = sources_.try_emplace(name, Source{&node, complaints});
    if (is_new) {
        workflows_.emplace(name, std::move(workflow));
        return;
    }
    const Source& first = source->second;
    of(complaints)
        .complain(node, node.path, concat("a second workflow with the name ", name),
                  concat("the first one is in ", names_of_files_[first.complaints], ':', first.node->key_at.line));
}

Workflows WorkflowSection::finish(const Workflows& others) {
    Workflows all = workflows_;
    all.insert(others.begin(), others.end());
    for (const auto& [name, workflow] : workflows_) {
        const Source& source = sources_.at(name);
        if (source.node->kind == NodeKind::Mapping)
            tell_faults(core::workflow_faults(workflow, all), *source.node, of(source.complaints));
    }
    return std::move(workflows_);
}

}  // namespace holdfast::config
