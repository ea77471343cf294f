#pragma once

#include <string>
#include <vector>

#include "cli/jobs/job_tree.h"
#include "cli/terminal/live_frame.h"

namespace holdfast::cli {

/// A line of a tree of steps.
struct TreeLine {
    ViewLine pieces = {};
    bool is_busy = false;  ///< active or failed: left out last
};

/// Returns the job and its steps in the order of their definition: state, duration and details such as progress, the
/// last printed line, the counts of a for_each, errors or a pending approval. Child jobs follow their steps. Pure.
[[nodiscard]] std::vector<TreeLine> tree_lines(const JobTree& tree, bool utf8);

/// Prints the whole tree, in colour where supported.
void print_tree(const Io& io, const JobTree& tree);

/// The colour of a state.
[[nodiscard]] Tone tone_of(JobState state);
[[nodiscard]] Tone tone_of(StepState state);

/// The counts of a for_each: "3 of 10 COMPLETED, 2 RUNNING".
[[nodiscard]] std::string items_text(const StepCounts& items);

/// The duration of a run so far, or until its end: "12.3s"; empty when it has not begun.
[[nodiscard]] std::string run_time(const std::optional<Timestamp>& started, const std::optional<Timestamp>& finished,
                                   Timestamp now);

/// The command that decides an approval.
[[nodiscard]] std::string approve_command(const Uuid& job, const std::string& step);

/// Whether the step waits for a person's decision.
[[nodiscard]] bool waits_for_approval(const StepInfo& step);

}  // namespace holdfast::cli
