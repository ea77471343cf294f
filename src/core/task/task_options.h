#pragma once

#include <string>
#include <vector>

#include "core/option.h"
#include "core/task/task_spec.h"
#include "holdfast/task.h"

namespace holdfast::core {

/// An option of a task, under each of its names. A key in the file, a flag, a member of the API, its place in the
/// stored policy, its checks and its documentation follow from the table of these.
struct TaskOption : OptionOf<SubmitOptions> {
    std::string flag = {};    ///< of `holdfast submit`: "--retry-base"
    std::string member = {};  ///< of a submit to the API: "retry.base"
    bool is_policy = false;   ///< it is part of the stored policy
    bool adds = false;        ///< a flag or member adds to the list of a definition
};

/// Every option, in the order of the documentation. A new option of TaskPolicy takes a row here, and no other code.
[[nodiscard]] const std::vector<TaskOption>& task_options();

/// The members of what to execute, in the order of the documentation: keys in the file, and the stored specification.
[[nodiscard]] const std::vector<OptionOf<TaskSpec>>& spec_options();

/// Why a task cannot have the value, as a sentence that begins with `name`; empty: it can.
[[nodiscard]] std::string option_defect(const TaskOption& option, std::string_view name, const OptionValue& value);

/// Gives a task the value of a flag or of a member of the API, whose `name` begins the sentence of a BadInput. A list
/// that `adds` is left to the store to check.
void override_with(const TaskOption& option, std::string_view name, OptionValue value, SubmitOptions& options);

/// The meaning of an option, with the other options that it names under their `flag` or `member`.
[[nodiscard]] std::string meaning_with(std::string TaskOption::*names, const TaskOption& option);

}  // namespace holdfast::core
