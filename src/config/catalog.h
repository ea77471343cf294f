#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/config_error.h"
#include "core/task/task_spec.h"
#include "holdfast/result.h"
#include "holdfast/task.h"

namespace holdfast::config {

/// A task as the file defines it: the work to execute and its options. Texts of `env`, `command` and the concurrency
/// key may hold `{{ input.x }}`, which stands for a member of the arguments.
struct TaskDefinition {
    std::string name = {};
    std::optional<core::TaskSpec> spec = {};  ///< nullopt: a function of an application
    SubmitOptions options = {};  ///< `tags`: only those that the file names, without those that its kind needs
    std::optional<Duration> deadline = {};  ///< counted from the submission
    Origin origin = {};                     ///< the place of the definition

    friend bool operator==(const TaskDefinition&, const TaskDefinition&) = default;
};

/// The definitions by name.
using Catalog = std::map<std::string, TaskDefinition>;

/// A task to submit: a filled definition of the catalog, or a task that the submit itself describes.
using Submission = TaskDefinition;

/// Returns the definition with every `{{ input.x }}` replaced by the value from the arguments: texts as they are,
/// other values as JSON, and all of the arguments for `{{ input }}`. The error names the key and the missing member.
[[nodiscard]] Result<TaskDefinition, std::string> filled(TaskDefinition definition, const nlohmann::json& args);

/// The same, with an error that also names the task and the place of its definition.
[[nodiscard]] Result<Submission, std::string> submission_of(const TaskDefinition& definition,
                                                            const nlohmann::json& args);

/// The members of the arguments that the templates of a definition use ("db" for `{{ input.db.host }}`), without
/// duplicates, in alphabetical order.
[[nodiscard]] std::vector<std::string> parameters_of(const TaskDefinition& definition);

}  // namespace holdfast::config
