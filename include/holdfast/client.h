#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "holdfast/errors.h"
#include "holdfast/job.h"
#include "holdfast/task.h"
#include "holdfast/task_info.h"
#include "holdfast/time.h"
#include "holdfast/typed_task.h"
#include "holdfast/uuid.h"
#include "holdfast/workflow.h"

namespace holdfast {

/// Tasks and jobs that the store had accepted and then lost, because its database went back in time: a failover
/// without the last commits, a restored backup.
struct LostSubmits {
    std::vector<Uuid> tasks = {};
    std::vector<Uuid> jobs = {};
    std::int64_t rank = 0;  ///< of the history that does not contain them
};

struct ClientOptions {
    std::string who = "client";               ///< how this program appears in the history of tasks that it cancels
    std::size_t max_payload_bytes = 1 << 20;  ///< of the arguments of one task
    /// How long ended tasks are kept. Ids older than this that are not found are refused by submit, because their
    /// task may have run and been removed. nullopt: for ever.
    std::optional<Duration> terminal_retention = std::chrono::hours(720);
    bool migrate = true;  ///< false: a schema that is not up to date is Unusable instead of brought up to date
    /// Called, during a call to the Client, when submits of the minute before its last one are found to be lost. An
    /// event of the store says so, too. Must not call the Client.
    std::function<void(const LostSubmits&)> on_lost_submits = {};
};

/// One item of submit_many.
struct TaskRequest {
    std::string name;
    nlohmann::json args;
    SubmitOptions options;
};

/// A job that was started.
struct JobHandle {
    Uuid id;
};

struct RunOptions {
    Uuid id = {};  ///< nil: a fresh UUIDv7. The same call again with the same id returns the first job
};

/// Submits tasks to a store and follows them. Several threads may use one Client at the same time; their calls take
/// turns at the store, except wait(), which does not block the others. It must outlive the calls made to it.
///
/// When a call returns, what it did is on disk. Every call throws BadInput for what it is given, and StoreError when
/// the store fails (holdfast/errors.h says what to do about each); unless it is CommitInDoubt, nothing was changed.
class Client {
public:
    /// Opens `sqlite:PATH` (created when missing) or `postgresql://...`, and brings its schema up to date.
    explicit Client(const std::string& store_url, const ClientOptions& options = {});
    ~Client();
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;

    /// Submits a task, exactly once: with an id or an idempotency key in the options, the same call again returns the
    /// first task. Without, a commit in doubt is resolved inside, and a crash of the caller may leave a task that it
    /// has not heard of. Throws PayloadMismatch when id or key belong to a task with other arguments or another
    /// policy.
    template <JsonValue Args, JsonValue ResultType, typename Given = Args>
    requires std::same_as<std::remove_cvref_t<Given>, Args> TaskHandle<ResultType> submit(
        const Task<Args, ResultType>& task, Given&& args, const SubmitOptions& options = {}) {
        const SubmitOutcome outcome = submit({task.name(), nlohmann::json(std::forward<Given>(args)), options});
        return {outcome.id, outcome.concurrency_limit};
    }

    /// The same for a task that is known by its name only.
    Uuid submit(std::string_view name, const nlohmann::json& args, const SubmitOptions& options = {});
    /// The same, and says whether the task is new, and which limit is in force for its concurrency key.
    SubmitOutcome submit(const TaskRequest& request);

    /// Submits many in as few transactions as possible, and says of each, in the same order, what became of it. A bad
    /// item never takes down the others.
    std::vector<SubmitOutcome> submit_many(const std::vector<TaskRequest>& requests);

    /// Waits until the task has ended, and returns its result or its error. The store notifies the waiter, which also
    /// looks once a second in case a notification was lost. Throws UnknownTask.
    template <JsonValue ResultType>
    [[nodiscard]] Result<ResultType, TaskError> wait(const TaskHandle<ResultType>& handle) {
        return result_as<ResultType>(wait(handle.id));
    }
    /// The same for at most `timeout`: nullopt when the task has not ended by then (which does not disturb the task).
    template <JsonValue ResultType>
    [[nodiscard]] std::optional<Result<ResultType, TaskError>> wait(const TaskHandle<ResultType>& handle,
                                                                    Duration timeout) {
        const std::optional<TaskInfo> ended = wait(handle.id, timeout);
        if (!ended) return std::nullopt;
        return result_as<ResultType>(*ended);
    }
    TaskInfo wait(const Uuid& task);
    [[nodiscard]] std::optional<TaskInfo> wait(const Uuid& task, Duration timeout);

    /// The task as it stands now; nullopt when there is none with this id.
    [[nodiscard]] std::optional<TaskInfo> get(const Uuid& task);
    [[nodiscard]] std::vector<TaskInfo> list(const TaskQuery& query = {});
    /// Its ended runs, oldest first.
    [[nodiscard]] std::vector<AttemptInfo> attempts(const Uuid& task);
    /// What happened to it beyond the normal life, oldest first.
    [[nodiscard]] std::vector<EventInfo> events(const Uuid& task);

    /// Ends the task, or asks its worker to. Harmless to repeat.
    CancelStatus cancel(const Uuid& task, std::string_view reason = {});

    /// Submits a copy of an ended task, and returns the new one's id; its retry_of names the old one, which stays as
    /// it is. The copy is due at once and has neither the old one's deadline nor its idempotency key. Throws
    /// UnknownTask, or WrongState while the task has not ended or when it belongs to a step: retry its job.
    Uuid retry(const Uuid& task);
    template <JsonValue ResultType>
    TaskHandle<ResultType> retry(const TaskHandle<ResultType>& handle) {
        return {retry(handle.id)};
    }

    // ---- Jobs
    // --------------------------------------------------------------------------------------------------------

    /// Starts a job of the workflow, exactly once: with an id in the options, the same call again returns the first
    /// job. Throws BadInput with everything that is wrong with the workflow or its input, or PayloadMismatch when the
    /// id belongs to a job of another workflow or with another input.
    JobHandle run(const Workflow& workflow, const nlohmann::json& input = nlohmann::json::object(),
                  const RunOptions& options = {});

    /// Waits until the job has ended, and returns it. Throws UnknownJob.
    JobInfo wait(const JobHandle& job);
    /// The same for at most `timeout`: nullopt when it has not ended by then.
    [[nodiscard]] std::optional<JobInfo> wait(const JobHandle& job, Duration timeout);

    /// The job as it stands now; nullopt when there is none with this id.
    [[nodiscard]] std::optional<JobInfo> get(const JobHandle& job);
    [[nodiscard]] std::vector<JobInfo> jobs(const JobQuery& query = {});
    /// Its steps in the order of the definition, items after their step, hooks last.
    [[nodiscard]] std::vector<StepInfo> steps(const JobHandle& job);
    /// What the engine did to it and to the tasks of its steps, oldest first.
    [[nodiscard]] std::vector<EventInfo> events(const JobHandle& job);

    /// Ends the job: steps that have not begun are CANCELLED, the workers of running ones are asked to stop them.
    SteerStatus cancel(const JobHandle& job, std::string_view reason = {});
    /// After it has returned, no step begins until resume(); running steps may end.
    SteerStatus pause(const JobHandle& job, std::string_view reason = {});
    SteerStatus resume(const JobHandle& job, std::string_view reason = {});
    /// Decides an approval step that waits. False: the step does not wait, or does not exist.
    bool approve(const JobHandle& job, std::string_view step, bool approved = true, std::string_view reason = {});
    /// Starts a new job that keeps what succeeded in a FAILED or CANCELLED one. Throws UnknownJob or WrongState.
    JobHandle retry(const JobHandle& job);

private:
    class Connection;
    std::unique_ptr<Connection> connection_;
};

/// An item for submit_many, checked as Client::submit checks it.
template <JsonValue Args, JsonValue ResultType, typename Given = Args>
requires std::same_as<std::remove_cvref_t<Given>, Args>
[[nodiscard]] TaskRequest request(const Task<Args, ResultType>& task, Given&& args,
                                  const SubmitOptions& options = {}) {
    return {task.name(), nlohmann::json(std::forward<Given>(args)), options};
}

}  // namespace holdfast
