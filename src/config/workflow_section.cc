#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "config/sections.h"

namespace holdfast::config {

namespace {

namespace fs = std::filesystem;

bool is_yaml(const fs::path& path) {
    return path.extension() == ".yaml" || path.extension() == ".yml";
}

/// Adds the tasks of a workflow's own file; they take precedence over those of the configuration.
KnownTasks overridden_with(KnownTasks tasks, const SourceNode* section, const std::string& file, Draft& draft) {
    if (section == nullptr) return tasks;
    KnownTasks own = read_tasks(*section, file, draft);
    own.catalog.merge(tasks.catalog);
    own.faulty.merge(tasks.faulty);
    return own;
}

Result<Workflows, ConfigErrors> finished(WorkflowSection& section, Draft& draft, const Workflows& others) {
    Workflows workflows = section.finish(others);
    if (!draft.errors().empty()) return Failure{draft.sorted_errors()};
    return workflows;
}

}  // namespace

void WorkflowSection::read_section(const SourceNode& section, const std::string& file, const KnownTasks& tasks) {
    if (section.kind == NodeKind::Null) return;
    if (section.kind == NodeKind::Scalar) return read_directory(section, file, tasks);
    read_mapping(section, tasks, files_.emplace_back(file, draft_));
}

void WorkflowSection::read_mapping(const SourceNode& section, const KnownTasks& tasks, Complaints& complaints) {
    if (!complaints.is_mapping(section, "a mapping of names to workflows: {nightly: {steps: ...}}, or a directory"))
        return;
    for (const SourceNode& node : section.children)
        add(node, read_workflow(node, node.key, {}, tasks, complaints), complaints);
}

void WorkflowSection::read_directory(const SourceNode& section, const std::string& file, const KnownTasks& tasks) {
    const fs::path directory = fs::path(file).parent_path() / section.scalar;
    std::vector<std::string> names;
    std::error_code fault;
    for (fs::directory_iterator entry(directory, fault), end; !fault && entry != end; entry.increment(fault))
        if (is_yaml(entry->path())) names.push_back(entry->path().string());
    if (fault)
        return files_.emplace_back(file, draft_)
            .misfit(section, concat("cannot read the directory: ", fault.message()),
                    "a mapping of names to workflows, or a directory of files");
    std::sort(names.begin(), names.end());
    const Origin named_by{OriginKind::File, file, section.key_at};
    for (const std::string& name : names) read_file(name, named_by, tasks);
}

void WorkflowSection::read_file(const std::string& file, const Origin& named_by, const KnownTasks& tasks) {
    const auto content = read_content(file);
    if (!content.ok())
        return draft_.complain({.where = named_by, .title = concat("cannot read ", file, ": ", content.error())});
    read_text(content.value(), file, tasks);
}

void WorkflowSection::read_text(const std::string& content, const std::string& name, const KnownTasks& tasks) {
    YamlText& text = texts_.emplace_back(read_yaml(content, name));
    const bool is_readable = text.errors.empty() || text.root.kind != NodeKind::Null;
    draft_.complain(std::move(text.errors));
    if (is_readable) read_root(text.root, name, tasks);
}

void WorkflowSection::read_root(const SourceNode& root, const std::string& file, const KnownTasks& tasks) {
    Complaints& complaints = files_.emplace_back(file, draft_);
    const SourceNode* section = root.find("workflows");
    const KnownTasks known = overridden_with(tasks, root.find("tasks"), file, draft_);
    if (section == nullptr) {
        const SourceNode* name = root.find("name");
        const bool is_named = name != nullptr && name->kind == NodeKind::Scalar;
        const std::string chosen = is_named ? name->scalar : fs::path(file).stem().string();
        return add(root, read_workflow(root, chosen, {"name", "tasks"}, known, complaints), complaints);
    }
    for (const SourceNode& entry : root.children)
        if (entry.key != "workflows" && entry.key != "tasks") complaints.unknown_key(entry, {"workflows", "tasks"});
    read_mapping(*section, known, complaints);
}

void WorkflowSection::add(const SourceNode& node, core::Workflow workflow, Complaints& complaints) {
    const std::string name = workflow.name;
    const auto [source, is_new] = sources_.try_emplace(name, Source{&node, &complaints});
    if (is_new) {
        workflows_.emplace(name, std::move(workflow));
        return;
    }
    const Source& first = source->second;
    complaints.complain(node, node.path, concat("a second workflow with the name ", name),
                        concat("the first one is in ", first.complaints->file(), ':', first.node->key_at.line));
}

Workflows WorkflowSection::finish(const Workflows& others) {
    Workflows all = workflows_;
    all.insert(others.begin(), others.end());
    for (const auto& [name, workflow] : workflows_) {
        const Source& source = sources_.at(name);
        if (source.node->kind == NodeKind::Mapping)
            tell_faults(core::workflow_faults(workflow, all), *source.node, *source.complaints);
    }
    return std::move(workflows_);
}

Result<Workflows, ConfigErrors> read_workflow_file(const std::string& path, const Catalog& catalog,
                                                   const Workflows& others) {
    Draft draft;
    WorkflowSection section(draft);
    section.read_file(path, {OriginKind::File, path, {.line = 0, .column = 0}}, {catalog, {}});
    return finished(section, draft, others);
}

Result<Workflows, ConfigErrors> read_workflow_text(const std::string& text, const std::string& name,
                                                   const Catalog& catalog, const Workflows& others) {
    Draft draft;
    WorkflowSection section(draft);
    section.read_text(text, name, {catalog, {}});
    return finished(section, draft, others);
}

}  // namespace holdfast::config
