#pragma once

#include <string>
#include <string_view>

#include "holdfast/result.h"
#include "holdfast/task.h"

namespace holdfast::core {

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
