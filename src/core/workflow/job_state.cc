#include "core/workflow/job_state.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast {

std::string_view to_text(JobState state) {
    switch (state) {
        case JobState::Pending:
            return "PENDING";
        case JobState::Running:
            return "RUNNING";
        case JobState::Paused:
            return "PAUSED";
        case JobState::Completed:
            return "COMPLETED";
        case JobState::Failed:
            return "FAILED";
        case JobState::Cancelled:
            return "CANCELLED";
    }
    HOLDFAST_ASSERT(false);
}

std::string_view to_text(StepState state) {
    switch (state) {
        case StepState::Waiting:
            return "WAITING";
        case StepState::Ready:
            return "READY";
        case StepState::Running:
            return "RUNNING";
        case StepState::Completed:
            return "COMPLETED";
        case StepState::Failed:
            return "FAILED";
        case StepState::Skipped:
            return "SKIPPED";
        case StepState::Cancelled:
            return "CANCELLED";
    }
    HOLDFAST_ASSERT(false);
}

std::optional<JobState> parse_job_state(std::string_view text) {
    for (const JobState state : core::job_states())
        if (text == to_text(state)) return state;
    return std::nullopt;
}

std::optional<StepState> parse_step_state(std::string_view text) {
    for (const StepState state : core::step_states())
        if (text == to_text(state)) return state;
    return std::nullopt;
}

bool is_terminal(JobState state) {
    return std::ranges::none_of(core::job_transitions(), [&](const auto& row) { return row.from == state; });
}

bool is_terminal(StepState state) {
    return std::ranges::none_of(core::step_transitions(), [&](const auto& row) { return row.from == state; });
}

namespace core {

namespace {

// clang-format off
constexpr StepTransition steps[] = {
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
};

constexpr JobTransition jobs[] = {
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
};
// clang-format on

constexpr StepState states_of_steps[] = {StepState::Waiting,   StepState::Ready,  StepState::Running,
                                         StepState::Completed, StepState::Failed, StepState::Skipped,
                                         StepState::Cancelled};
constexpr StepEvent events_of_steps[] = {StepEvent::Resolve, StepEvent::Begin, StepEvent::Complete,
                                         StepEvent::Fail,    StepEvent::Skip,  StepEvent::Cancel};
constexpr JobState states_of_jobs[] = {JobState::Pending,   JobState::Running, JobState::Paused,
                                       JobState::Completed, JobState::Failed,  JobState::Cancelled};
constexpr JobEvent events_of_jobs[] = {JobEvent::Begin,    JobEvent::Pause, JobEvent::Resume,
                                       JobEvent::Complete, JobEvent::Fail,  JobEvent::Cancel};

template <typename Table, typename State, typename Event>
std::optional<State> look_up(const Table& table, State from, Event event) {
    for (const auto& row : table)
        if (row.from == from && row.event == event) return row.to;
    return std::nullopt;
}

template <typename Table, typename States>
std::string diagram(const Table& table, const States& states) {
    std::string text = concat("stateDiagram-v2\n    [*] --> ", to_text(states[0]), ": start\n");
    for (const auto& row : table)
        text += concat("    ", to_text(row.from), " --> ", to_text(row.to), ": ", to_text(row.event), "\n");
    for (const auto state : states)
        if (is_terminal(state)) text += concat("    ", to_text(state), " --> [*]\n");
    return text;
}

}  // namespace

std::span<const StepTransition> step_transitions() {
    return steps;
}
std::span<const StepState> step_states() {
    return states_of_steps;
}
std::span<const StepEvent> step_events() {
    return events_of_steps;
}
std::span<const JobTransition> job_transitions() {
    return jobs;
}
std::span<const JobState> job_states() {
    return states_of_jobs;
}
std::span<const JobEvent> job_events() {
    return events_of_jobs;
}

std::optional<StepState> next_state(StepState from, StepEvent event) {
    return look_up(steps, from, event);
}

std::optional<JobState> next_state(JobState from, JobEvent event) {
    return look_up(jobs, from, event);
}

StepState moved(StepState from, StepEvent event) {
    const auto to = next_state(from, event);
    HOLDFAST_ASSERT(to.has_value());
    return *to;
}

JobState moved(JobState from, JobEvent event) {
    const auto to = next_state(from, event);
    HOLDFAST_ASSERT(to.has_value());
    return *to;
}

std::string_view to_text(StepEvent event) {
    switch (event) {
        case StepEvent::Resolve:
            return "resolve";
        case StepEvent::Begin:
            return "begin";
        case StepEvent::Complete:
            return "complete";
        case StepEvent::Fail:
            return "fail";
        case StepEvent::Skip:
            return "skip";
        case StepEvent::Cancel:
            return "cancel";
    }
    HOLDFAST_ASSERT(false);
}

std::string_view to_text(JobEvent event) {
    switch (event) {
        case JobEvent::Begin:
            return "begin";
        case JobEvent::Pause:
            return "pause";
        case JobEvent::Resume:
            return "resume";
        case JobEvent::Complete:
            return "complete";
        case JobEvent::Fail:
            return "fail";
        case JobEvent::Cancel:
            return "cancel";
    }
    HOLDFAST_ASSERT(false);
}

std::string step_state_diagram() {
    return diagram(steps, states_of_steps);
}

std::string job_state_diagram() {
    return diagram(jobs, states_of_jobs);
}

}  // namespace core

}  // namespace holdfast
