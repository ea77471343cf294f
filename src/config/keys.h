#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "config/catalog.h"
#include "config/fields.h"
#include "core/calendar/schedule.h"
#include "core/task/concurrency.h"
#include "core/workflow/workflow.h"

namespace holdfast::config {

using core::find_option;
using core::names_of;

// The keys of the sections `tasks`, `workflows`, `schedules` and `keys`. Reading, checks, suggestions and the
// references in docs/ derive from these tables, each in the order of the documentation. A key without `set` is
// handled by the reader of its section.

/// One key of a task's definition: an option of tasks, or a member of the specification.
struct TaskKey : Option {
    bool of_spec = false;  ///< it belongs to the specification, so it is invalid for a function
    std::function<void(TaskDefinition& definition, const Value& value)> assign = {};
};
[[nodiscard]] const std::vector<TaskKey>& task_keys();

/// The keys of a workflow; of a step, in addition to those of a task; of a member of the input.
[[nodiscard]] const std::vector<core::OptionOf<core::Workflow>>& workflow_keys();
[[nodiscard]] const std::vector<core::OptionOf<core::WorkflowStep>>& step_keys();
[[nodiscard]] const std::vector<core::OptionOf<core::InputField>>& input_keys();

/// The keys of a schedule, and of the declaration of a concurrency key.
[[nodiscard]] const std::vector<core::OptionOf<core::ScheduleTiming>>& schedule_keys();
[[nodiscard]] const std::vector<core::OptionOf<core::KeyDeclaration>>& key_keys();

/// Whether a key of a task is also a key of a step: all except `deadline`.
[[nodiscard]] bool is_step_key_of_tasks(std::string_view name);
/// All keys that a step may have.
[[nodiscard]] std::vector<std::string> all_step_key_names();

}  // namespace holdfast::config
