#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/job.h"
#include "store/store.h"

namespace holdfast::store {

/// How lists stand in text columns.
[[nodiscard]] std::string encode_strings(const std::vector<std::string>& strings);  ///< ["a","b"]
[[nodiscard]] std::vector<std::string> decode_strings(std::string_view json);

/// [{"age_us":12,"lease":7,"pid":4711,"running":true,"task":"0192..."}]
[[nodiscard]] std::string encode_held(const std::vector<HeldLease>& held);
[[nodiscard]] std::vector<HeldLease> decode_held(std::string_view json);

/// The inverses of word_of, for what a database says. Unknown text throws Unusable: the row contradicts the schema.
[[nodiscard]] TaskState read_task_state(std::string_view text);
[[nodiscard]] core::LeaseEnd read_lease_end(std::string_view text);
[[nodiscard]] WaitReason read_wait_reason(std::string_view text);
[[nodiscard]] WorkerStatus read_worker_status(std::string_view text);
[[nodiscard]] Scope read_scope(std::string_view text);
[[nodiscard]] JobState read_job_state(std::string_view text);
[[nodiscard]] StepState read_step_state(std::string_view text);
[[nodiscard]] StopReason read_stop_reason(std::string_view text);

}  // namespace holdfast::store
