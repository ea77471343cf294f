#pragma once

#include <span>

#include "config/catalog.h"
#include "config/fields.h"

namespace holdfast::config {

/// One key of a task's definition. Reading, checking and the reference in docs/tasks.md derive from the table of
/// these.
struct TaskKey {
    Field field;   ///< its section is "tasks"
    bool of_spec;  ///< it says what to execute, so it has no meaning for a function
    void (*assign)(TaskDefinition& definition, const Value& value);
};

/// Every key, in the order of the documentation. `type` is the first.
[[nodiscard]] std::span<const TaskKey> task_keys();

[[nodiscard]] const TaskKey* find_task_key(std::string_view name);

}  // namespace holdfast::config
