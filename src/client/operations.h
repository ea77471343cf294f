#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/task/task_spec.h"
#include "holdfast/errors.h"
#include "store/client_store.h"

namespace holdfast::client {

/// Calls `ask` again while a commit is in doubt, which ids make harmless, and returns its answer. The fifth
/// CommitInDoubt is passed on to the caller.
template <typename Ask>
auto asked_until_certain(const Ask& ask) {
    constexpr int doubts_resolved = 5;
    for (int doubts = 0;; ++doubts) {
        try {
            return ask();
        } catch (const CommitInDoubt&) {
            if (doubts == doubts_resolved) throw;
        }
    }
}

// ---- Tasks --------------------------------------------------------------------------------------------------------

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

// ---- Jobs ---------------------------------------------------------------------------------------------------------

/// Starts a job under this id (nil: a fresh one) and returns its id. Repeats the call when a commit is in doubt.
/// Throws PayloadMismatch, or BadInput with everything that is wrong.
Uuid start_job(store::ClientStore& store, store::NewJob job);

/// The job; throws UnknownJob.
[[nodiscard]] JobInfo find_one_job(store::ClientStore& store, const Uuid& job);

/// Starts a job that keeps what succeeded in an ended one, and returns its id: `new_id`, or a fresh one when that is
/// nil. Throws UnknownJob or WrongState.
Uuid retry_ended_job(store::ClientStore& store, const Uuid& job, const std::string& who, Uuid new_id = {});

/// Every event about the job and the tasks of its steps, oldest first.
[[nodiscard]] std::vector<store::EventRecord> all_job_events(store::ClientStore& store, const Uuid& job);

}  // namespace holdfast::client
