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

/// The policy as a compact JSON object with only the members that differ from the default, keys sorted;
/// "" for a policy that is all default. Durations in whole milliseconds under keys that end in _ms.
///   {"max_attempts":3,"on_crash":"requeue","retry_base_ms":1000,"timeout_ms":60000}
/// Keys: fence, max_attempts, max_crashes, on_crash, retry_base_ms, retry_cap_ms, retry_delays_ms, retry_factor,
/// retry_jitter, retry_on, timeout_ms, unmatched.
[[nodiscard]] std::string encode_policy(const TaskPolicy& policy);

/// Reads what encode_policy wrote, or a person or an SQL client by hand. The error is one sentence that names
/// the key and what is allowed.
[[nodiscard]] Result<TaskPolicy, std::string> decode_policy(std::string_view text);

/// What is wrong with a policy (ranges, codes that are never retried), as one sentence that names the field; empty
/// when nothing is.
[[nodiscard]] std::string policy_defect(const TaskPolicy& policy);

}  // namespace holdfast::core
