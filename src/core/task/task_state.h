#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/public_words.h"

namespace holdfast::core {

/// What can happen to a task.
enum class TaskEvent {
    Claim,     ///< a worker takes a lease
    Start,     ///< its run is committed; user code begins after that
    Complete,  ///< its run returned a value
    Fail,      ///< its run failed, and policy does not run it again
    Retry,     ///< its run failed, crashed or was stopped, and policy runs it again
    Requeue,   ///< its lease ended before its start
    Cancel,    ///< a person or a job ended it
    Expire,    ///< its deadline passed before it started
    Reject,    ///< ended without a run: no worker can run it, or it was forced
};
constexpr auto words_of(TaskEvent) {
    using enum TaskEvent;
    return words<TaskEvent>({{Claim, "claim"},
                             {Start, "start"},
                             {Complete, "complete"},
                             {Fail, "fail"},
                             {Retry, "retry"},
                             {Requeue, "requeue"},
                             {Cancel, "cancel"},
                             {Expire, "expire"},
                             {Reject, "reject"}});
}

/// One allowed transition. The assertion, the diagram in docs/task-states.md and the exhaustive test all
/// read this table; nothing else states what is allowed.
struct Transition {
    TaskState from;
    TaskEvent event;
    TaskState to;
};

[[nodiscard]] std::span<const Transition> task_transitions();

/// Where `event` leads from `from`; nullopt when it is not allowed there.
[[nodiscard]] std::optional<TaskState> next_state(TaskState from, TaskEvent event);

/// The Mermaid state diagram of the table, as it stands in docs/task-states.md.
[[nodiscard]] std::string task_state_diagram();

}  // namespace holdfast::core
