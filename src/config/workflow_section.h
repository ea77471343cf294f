#pragma once

#include <list>
#include <map>
#include <string>

#include "config/workflow_complaints.h"
#include "config/workflow_step_reader.h"
#include "config/yaml_reader.h"
#include "core/workflow/workflow.h"

namespace holdfast::config {

using Workflows = std::map<std::string, core::Workflow>;

/// Reads the workflows of a configuration, from its file and from the files of a directory. Every fault goes to the
/// draft, with file, line and key.
class WorkflowSection {
public:
    explicit WorkflowSection(Draft& draft) : draft_(draft) {}

    /// Reads the section `workflows` of a file: a mapping of names to definitions, or the name of a directory,
    /// relative to that of the file. The node must outlive this object.
    void read_section(const SourceNode& section, const std::string& file, const KnownTasks& tasks);
    /// Reads a workflow file: one workflow, or a section `workflows`; and tasks, which only its workflows can use.
    void read_file(const std::string& file, const Origin& named_by, const KnownTasks& tasks);

    /// Reads a text in the format of such a file; errors refer to it as `name`.
    void read_text(const std::string& text, const std::string& name, const KnownTasks& tasks);

    /// Checks all workflows together: they may start each other and those of `others`. Returns the workflows that
    /// were read.
    [[nodiscard]] Workflows finish(const Workflows& others);

private:
    struct Source {
        const SourceNode* node;
        std::size_t complaints;  ///< index of the complaints of its file
    };

    void read_directory(const SourceNode& section, const std::string& file, const KnownTasks& tasks);
    void read_mapping(const SourceNode& section, const KnownTasks& tasks, std::size_t complaints);
    void read_root(const SourceNode& root, const std::string& file, const KnownTasks& tasks);
    void add(const SourceNode& node, core::Workflow workflow, std::size_t complaints);
    std::size_t open(const std::string& file);
    [[nodiscard]] WorkflowComplaints& of(std::size_t file) { return files_[file]; }

    Draft& draft_;
    std::list<YamlText> texts_;  // the texts that sources point into
    std::vector<WorkflowComplaints> files_;
    std::vector<std::string> names_of_files_;
    std::map<std::string, Source> sources_;
    Workflows workflows_;
};

}  // namespace holdfast::config
