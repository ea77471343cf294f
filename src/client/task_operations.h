#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/task/task_spec.h"
#include "store/client_store.h"

namespace holdfast::client {

/// The arguments as they are stored. Throws BadInput when they hold text that is not UTF-8.
[[nodiscard]] std::string args_text(std::string_view name, const nlohmann::json& args);

/// A registered function's task, ready for the store: with a fresh id unless the options name one, and with the tag
/// "task:<name>", so that only workers with the function get it. `args` is JSON text.
[[nodiscard]] store::NewTask function_task(std::string_view name, std::string args, const SubmitOptions& options);

/// A script's or container's task, ready for the store in the same way, with the tags that its kind needs. Throws
/// BadInput when the specification has a defect.
[[nodiscard]] store::NewTask specified_task(std::string_view name, std::string args, const core::TaskSpec& spec,
                                            const SubmitOptions& options);

/// Store::submit, repeated when a commit is in doubt, which ids make harmless.
[[nodiscard]] std::vector<SubmitOutcome> submit_all(store::ClientStore& store,
                                                    const std::vector<store::NewTask>& tasks);

/// Submits one task. Accepted and Existing are returned; throws PayloadMismatch or BadInput for the rest.
SubmitOutcome submit_one(store::ClientStore& store, const store::NewTask& task);

/// The task; throws UnknownTask.
[[nodiscard]] store::TaskRecord find_one(store::ClientStore& store, const Uuid& task);

/// Whether the job's step is a hook, whose result no other step waits for.
[[nodiscard]] bool is_hook(store::ClientStore& store, const std::pair<Uuid, std::string>& step);

/// Throws WrongState when the task has not ended, or belongs to a step: its job would not notice a copy.
void require_retryable(store::ClientStore& store, const store::TaskRecord& record);

/// Submits a copy of an ended task and returns its id. Throws UnknownTask or, as require_retryable, WrongState.
Uuid retry_ended(store::ClientStore& store, const Uuid& task);

/// Every event about the task, oldest first.
[[nodiscard]] std::vector<store::EventRecord> all_events(store::ClientStore& store, const Uuid& task);

}  // namespace holdfast::client
