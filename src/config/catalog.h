#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "config/config_error.h"
#include "core/task/task_spec.h"
#include "holdfast/result.h"
#include "holdfast/task.h"

namespace holdfast::config {

/// A task as the file defines it: what to execute, and how it is to be treated. Texts of `env`, `command` and the
/// concurrency key may hold `{{ input.x }}`, which stands for a member of the arguments.
struct TaskDefinition {
    std::optional<core::TaskSpec> spec;  ///< nullopt: a function of an application
    SubmitOptions options;               ///< `tags`: only those that the file names, not those that its kind needs
    std::optional<Duration> deadline;    ///< from when it is submitted
    Origin origin;                       ///< where it stands

    friend bool operator==(const TaskDefinition&, const TaskDefinition&) = default;
};

/// By name.
using Catalog = std::map<std::string, TaskDefinition>;

/// The definition with the values of the arguments in the place of every `{{ input.x }}`. The error names the key and
/// what the arguments lack.
[[nodiscard]] Result<TaskDefinition, std::string> filled(TaskDefinition definition, const nlohmann::json& args);

}  // namespace holdfast::config
