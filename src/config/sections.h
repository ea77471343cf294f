#pragma once

#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/draft.h"
#include "config/source_node.h"
#include "core/task/concurrency.h"
#include "core/workflow/workflow.h"

namespace holdfast::config {

// The readers of the sections `tasks`, `workflows`, `schedules` and `keys`. Every fault goes to the draft, with file,
// line and key; the results are complete only when there are none.

/// Reads the file that the parameters choose, if any, into the draft; sections without fields go into `config`.
void read_config_file(const LoadParams& params, Draft& draft, Config& config);

// ---- Tasks --------------------------------------------------------------------------------------------------------

/// The tasks that steps and schedules may name.
struct KnownTasks {
    Catalog catalog;
    std::set<std::string> faulty = {};  ///< defined, but with an invalid definition
};

/// Reads the section `tasks`.
[[nodiscard]] KnownTasks read_tasks(const SourceNode& section, const std::string& file, Draft& draft);

// ---- Workflows ----------------------------------------------------------------------------------------------------

/// Reads the value of a member of a job's input. A scalar for a text stays text even when it looks like a number.
[[nodiscard]] nlohmann::json input_value(const SourceNode& node, core::InputType type);

/// Reads one workflow, skipping invalid parts. `extra_keys` are allowed beside the keys of a workflow; the caller
/// handles them.
[[nodiscard]] core::Workflow read_workflow(const SourceNode& node, const std::string& name,
                                           const std::vector<std::string>& extra_keys, const KnownTasks& tasks,
                                           Complaints& complaints);

/// Reports the faults that core::workflow_faults found, at their positions in the file.
void tell_faults(const std::vector<core::WorkflowFault>& faults, const SourceNode& node, Complaints& complaints);

/// Reads one step or hook. `inline_name` is the name of its task when that is defined in place.
[[nodiscard]] core::WorkflowStep read_step(const SourceNode& node, std::string name, std::string inline_name,
                                           const KnownTasks& tasks, Complaints& complaints);

/// Reads a list of names, or a single name in its place.
[[nodiscard]] std::vector<std::string> read_step_names(const SourceNode& node, Complaints& complaints);

/// Reads the workflows of a configuration, from its file and from the files of a directory.
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
        Complaints* complaints;  ///< of its file
    };

    void read_directory(const SourceNode& section, const std::string& file, const KnownTasks& tasks);
    void read_mapping(const SourceNode& section, const KnownTasks& tasks, Complaints& complaints);
    void read_root(const SourceNode& root, const std::string& file, const KnownTasks& tasks);
    void add(const SourceNode& node, core::Workflow workflow, Complaints& complaints);

    Draft& draft_;
    std::list<YamlText> texts_;    // the texts that sources point into
    std::list<Complaints> files_;  // one for each file
    std::map<std::string, Source> sources_;
    Workflows workflows_;
};

// ---- Schedules and concurrency keys -------------------------------------------------------------------------------

/// The tasks and workflows that schedules may start.
struct Startable {
    const KnownTasks& tasks;
    const Workflows& workflows;
    bool lacks_workflows = false;  ///< a workflow file could not be read: an unknown name may be valid
};

/// Reads the section `schedules` of a file: a mapping of names to schedules.
[[nodiscard]] std::vector<Schedule> read_schedules(const SourceNode& section, const std::string& file,
                                                   const Startable& startable, const ZoneDefect& zone_defect,
                                                   Draft& draft);

/// Reads the section `keys` of a file: a mapping of concurrency keys to their declarations.
[[nodiscard]] std::vector<core::KeyDeclaration> read_keys(const SourceNode& section, const std::string& file,
                                                          Draft& draft);

/// Returns one warning for each key that is used in several queues but not declared shared: each queue then has slots
/// of its own. A key with `{{ ... }}` is compared by its text.
[[nodiscard]] ConfigErrors unshared_keys(const std::vector<KeyUse>& uses,
                                         const std::vector<core::KeyDeclaration>& declared);

}  // namespace holdfast::config
