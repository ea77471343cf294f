#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/public_words.h"

namespace holdfast::core {

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

/// One allowed transition. These tables are the only definition of the allowed transitions; the assertions, the
/// diagrams in docs/job-states.md and the exhaustive tests read them.
struct StepTransition {
    StepState from;
    StepEvent event;
    StepState to;
};
struct JobTransition {
    JobState from;
    JobEvent event;
    JobState to;
};

[[nodiscard]] std::span<const StepTransition> step_transitions();
[[nodiscard]] std::span<const JobTransition> job_transitions();

/// Returns the state after `event` in state `from`; nullopt when the transition is not allowed.
[[nodiscard]] std::optional<StepState> next_state(StepState from, StepEvent event);
[[nodiscard]] std::optional<JobState> next_state(JobState from, JobEvent event);
/// Returns the same state; for callers that have ensured that the transition is allowed.
[[nodiscard]] StepState moved(StepState from, StepEvent event);
[[nodiscard]] JobState moved(JobState from, JobEvent event);

/// The Mermaid state diagrams of the tables, as included in docs/job-states.md.
[[nodiscard]] std::string step_state_diagram();
[[nodiscard]] std::string job_state_diagram();

}  // namespace holdfast::core
