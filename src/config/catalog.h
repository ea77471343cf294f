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

/// A task as the file defines it: the work to execute and its options. Texts of `env`, `command` and the concurrency
/// key may hold `{{ input.x }}`, which stands for a member of the arguments.
struct TaskDefinition {
    std::optional<core::TaskSpec> spec;  ///< nullopt: a function of an application
    SubmitOptions options;             ///< `tags`: only those that the file names, without those that its kind needs
    std::optional<Duration> deadline;  ///< counted from the submission
    Origin origin;                     ///< the place of the definition

    friend bool operator==(const TaskDefinition&, const TaskDefinition&) = default;
};

/// The definitions by name.
using Catalog = std::map<std::string, TaskDefinition>;

/// Returns the definition with every `{{ input.x }}` replaced by the value from the arguments. The error names the
/// key and the missing member.
[[nodiscard]] Result<TaskDefinition, std::string> filled(TaskDefinition definition, const nlohmann::json& args);

}  // namespace holdfast::config
