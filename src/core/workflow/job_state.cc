#include "core/workflow/job_state.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast {

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

template <typename Table, typename State, typename Event>
std::optional<State> look_up(const Table& table, State from, Event event) {
    for (const auto& row : table)
        if (row.from == from && row.event == event) return row.to;
    return std::nullopt;
}

template <typename State, typename Table>
std::string diagram(const Table& table) {
    std::string text = concat("stateDiagram-v2\n    [*] --> ", word_of(State{}), ": start\n");
    for (const auto& row : table)
        text += concat("    ", word_of(row.from), " --> ", word_of(row.to), ": ", word_of(row.event), "\n");
    for (const State state : values_of<State>())
        if (is_terminal(state)) text += concat("    ", word_of(state), " --> [*]\n");
    return text;
}

}  // namespace

std::span<const StepTransition> step_transitions() {
    return steps;
}
std::span<const JobTransition> job_transitions() {
    return jobs;
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

std::string step_state_diagram() {
    return diagram<StepState>(steps);
}

std::string job_state_diagram() {
    return diagram<JobState>(jobs);
}

}  // namespace core

}  // namespace holdfast
