#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace holdfast::config {

/// One key of a workflow, of a step or of a member of the input. Reading, suggestions and the reference in
/// docs/workflows.md derive from the tables of these.
struct WorkflowKey {
    Field field;
    std::string_view form = {};  ///< what may stand there, for a key that no type of field describes

    [[nodiscard]] std::string allowed() const;
};

/// The keys of a workflow; of a step, beside those of a task; of a member of the input; each in the order of the
/// documentation.
[[nodiscard]] std::span<const WorkflowKey> workflow_keys();
[[nodiscard]] std::span<const WorkflowKey> step_keys();
[[nodiscard]] std::span<const WorkflowKey> input_keys();

[[nodiscard]] const WorkflowKey* find_key(std::span<const WorkflowKey> keys, std::string_view name);
[[nodiscard]] std::vector<std::string> names_of(std::span<const WorkflowKey> keys);

/// A key of a task that a step has, too: all but `deadline`.
[[nodiscard]] bool is_step_key_of_tasks(std::string_view name);
/// Everything that may stand in a step.
[[nodiscard]] std::vector<std::string> all_step_key_names();

}  // namespace holdfast::config
