#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/catalog.h"
#include "core/task/task_spec.h"
#include "holdfast/result.h"
#include "holdfast/task.h"

namespace holdfast::config {

/// A task to submit: from the catalog, described by the submit itself, or a function of an application.
struct Submission {
    std::string name = {};
    std::optional<core::TaskSpec> spec = {};  ///< nullopt: a function
    SubmitOptions options = {};
    std::optional<Duration> deadline = {};  ///< counted from the submission
};

/// Returns the definition, filled from the arguments. The error names the task, the place of its definition, and the
/// missing or invalid member.
[[nodiscard]] Result<Submission, std::string> submission_of(const std::string& name, const TaskDefinition& definition,
                                                            const nlohmann::json& args);

/// The members of the arguments that the templates of a definition use, without duplicates, in alphabetical order.
[[nodiscard]] std::vector<std::string> parameters_of(const TaskDefinition& definition);

}  // namespace holdfast::config
