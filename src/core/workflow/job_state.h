#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/public_words.h"

namespace holdfast::core {

/// What can happen to a step.
enum class StepEvent {
    Resolve,  ///< its dependencies allow it to begin
    Begin,    ///< its task has started, its child job, wait or approval is under way, or its items are
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

/// What can happen to a job.
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

/// One allowed transition. The assertions, the diagrams in docs/job-states.md and the exhaustive tests read these
/// tables; nothing else states what is allowed.
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

/// Where `event` leads from `from`; nullopt when it is not allowed there.
[[nodiscard]] std::optional<StepState> next_state(StepState from, StepEvent event);
[[nodiscard]] std::optional<JobState> next_state(JobState from, JobEvent event);
/// The same where the caller has ensured that it is allowed.
[[nodiscard]] StepState moved(StepState from, StepEvent event);
[[nodiscard]] JobState moved(JobState from, JobEvent event);

/// The Mermaid state diagrams of the tables, as they stand in docs/job-states.md.
[[nodiscard]] std::string step_state_diagram();
[[nodiscard]] std::string job_state_diagram();

}  // namespace holdfast::core
