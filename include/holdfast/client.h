#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "holdfast/errors.h"
#include "holdfast/task.h"
#include "holdfast/task_info.h"
#include "holdfast/time.h"
#include "holdfast/typed_task.h"
#include "holdfast/uuid.h"

namespace holdfast {

struct ClientOptions {
    std::string who = "client";               ///< how this program appears in the history of tasks that it cancels
    std::size_t max_payload_bytes = 1 << 20;  ///< of the arguments of one task
    /// How long ended tasks are kept. Ids older than this that are not found are refused by submit, because their
    /// task may have run and been removed. nullopt: for ever.
    std::optional<Duration> terminal_retention = std::chrono::hours(720);
    bool migrate = true;  ///< false: a schema that is not up to date is Unusable instead of brought up to date
};

/// One item of submit_many.
struct TaskRequest {
    std::string name;
    nlohmann::json args;
    SubmitOptions options;
};

/// Submits tasks to a store and follows them. Several threads may use one Client at the same time; their calls take
/// turns at the store, except wait(), which holds nobody up. It must outlive the calls made to it.
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
        return {submit(task.name(), nlohmann::json(std::forward<Given>(args)), options)};
    }

    /// The same for a task that is known by its name only.
    Uuid submit(std::string_view name, const nlohmann::json& args, const SubmitOptions& options = {});

    /// Submits many in as few transactions as possible, and says of each, in the same order, what became of it. A bad
    /// item never takes down the others.
    std::vector<SubmitOutcome> submit_many(const std::vector<TaskRequest>& requests);

    /// Waits until the task has ended, and returns what it returned, or why it did not. The store tells when to look:
    /// there is no polling, beyond a look every second in case that word was lost. Throws UnknownTask.
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
    /// UnknownTask, or WrongState while the task has not ended.
    Uuid retry(const Uuid& task);
    template <JsonValue ResultType>
    TaskHandle<ResultType> retry(const TaskHandle<ResultType>& handle) {
        return {retry(handle.id)};
    }

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
