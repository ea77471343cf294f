#pragma once

#include <array>
#include <optional>

#include "core/public_words.h"

namespace holdfast::core {

/// The events of a task.
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

/// The events of a step.
enum class StepEvent {
    Resolve,  ///< its dependencies allow it to begin
    Begin,    ///< its task has started; or its child job, wait, approval or items are under way
    Complete,
    Fail,
    Skip,
    Cancel,
};
constexpr auto words_of(StepEvent) {
    using enum StepEvent;
    return words<StepEvent>({{Resolve, "resolve"},
                             {Begin, "begin"},
                             {Complete, "complete"},
                             {Fail, "fail"},
                             {Skip, "skip"},
                             {Cancel, "cancel"}});
}

/// The events of a job.
enum class JobEvent {
    Begin,  ///< the first of its steps began
    Pause,
    Resume,
    Complete,
    Fail,
    Cancel,
};
constexpr auto words_of(JobEvent) {
    using enum JobEvent;
    return words<JobEvent>({{Begin, "begin"},
                            {Pause, "pause"},
                            {Resume, "resume"},
                            {Complete, "complete"},
                            {Fail, "fail"},
                            {Cancel, "cancel"}});
}

template <typename State, typename Event>
struct Transition {
    State from;
    Event event;
    State to;
};

/// The allowed transitions of tasks, steps and jobs. These tables are their only definition; the assertions, the
/// diagrams in docs/task-states.md and docs/job-states.md and the exhaustive tests read them.
template <typename State>
inline constexpr auto transitions = nullptr;

// clang-format off
template <>
inline constexpr auto transitions<TaskState> = std::to_array<Transition<TaskState, TaskEvent>>({
    {TaskState::Pending, TaskEvent::Claim,    TaskState::Claimed},
    {TaskState::Pending, TaskEvent::Cancel,   TaskState::Cancelled},
    {TaskState::Pending, TaskEvent::Expire,   TaskState::Expired},
    {TaskState::Pending, TaskEvent::Reject,   TaskState::Failed},

    {TaskState::Claimed, TaskEvent::Start,    TaskState::Running},
    {TaskState::Claimed, TaskEvent::Requeue,  TaskState::Pending},
    {TaskState::Claimed, TaskEvent::Cancel,   TaskState::Cancelled},
    {TaskState::Claimed, TaskEvent::Reject,   TaskState::Failed},

    {TaskState::Running, TaskEvent::Complete, TaskState::Completed},
    {TaskState::Running, TaskEvent::Fail,     TaskState::Failed},
    {TaskState::Running, TaskEvent::Retry,    TaskState::Pending},
    {TaskState::Running, TaskEvent::Cancel,   TaskState::Cancelled},
    {TaskState::Running, TaskEvent::Reject,   TaskState::Failed},
});

template <>
inline constexpr auto transitions<StepState> = std::to_array<Transition<StepState, StepEvent>>({
    {StepState::Waiting, StepEvent::Resolve,  StepState::Ready},
    {StepState::Waiting, StepEvent::Fail,     StepState::Failed},
    {StepState::Waiting, StepEvent::Skip,     StepState::Skipped},
    {StepState::Waiting, StepEvent::Cancel,   StepState::Cancelled},

    {StepState::Ready,   StepEvent::Begin,    StepState::Running},
    {StepState::Ready,   StepEvent::Complete, StepState::Completed},
    {StepState::Ready,   StepEvent::Fail,     StepState::Failed},
    {StepState::Ready,   StepEvent::Skip,     StepState::Skipped},
    {StepState::Ready,   StepEvent::Cancel,   StepState::Cancelled},

    {StepState::Running, StepEvent::Complete, StepState::Completed},
    {StepState::Running, StepEvent::Fail,     StepState::Failed},
    {StepState::Running, StepEvent::Cancel,   StepState::Cancelled},
});

template <>
inline constexpr auto transitions<JobState> = std::to_array<Transition<JobState, JobEvent>>({
    {JobState::Pending, JobEvent::Begin,    JobState::Running},
    {JobState::Pending, JobEvent::Pause,    JobState::Paused},
    {JobState::Pending, JobEvent::Complete, JobState::Completed},
    {JobState::Pending, JobEvent::Fail,     JobState::Failed},
    {JobState::Pending, JobEvent::Cancel,   JobState::Cancelled},

    {JobState::Running, JobEvent::Pause,    JobState::Paused},
    {JobState::Running, JobEvent::Complete, JobState::Completed},
    {JobState::Running, JobEvent::Fail,     JobState::Failed},
    {JobState::Running, JobEvent::Cancel,   JobState::Cancelled},

    {JobState::Paused,  JobEvent::Resume,   JobState::Running},
    {JobState::Paused,  JobEvent::Complete, JobState::Completed},
    {JobState::Paused,  JobEvent::Fail,     JobState::Failed},
    {JobState::Paused,  JobEvent::Cancel,   JobState::Cancelled},
});
// clang-format on

/// Returns the state after `event` in state `from`; nullopt when the transition is not allowed.
template <typename State, typename Event>
[[nodiscard]] constexpr std::optional<State> next_state(State from, Event event) {
    for (const Transition<State, Event>& row : transitions<State>)
        if (row.from == from && row.event == event) return row.to;
    return std::nullopt;
}

/// Returns the same state; for callers that have ensured that the transition is allowed.
template <typename State, typename Event>
[[nodiscard]] constexpr State moved(State from, Event event) {
    const std::optional<State> to = next_state(from, event);
    HOLDFAST_ASSERT(to.has_value());
    return *to;
}

}  // namespace holdfast::core
