#pragma once

#include <string>
#include <vector>

#include "cli/jobs/job_tree.h"
#include "cli/terminal/live_frame.h"

namespace holdfast::cli {

/// A line of a tree of steps.
struct TreeLine {
    ViewLine pieces = {};
    bool is_busy = false;  ///< something is going on there, or has gone wrong: to be left out last
};

/// The job, and below it its steps in the order of their definition: state, how long, and what there is to say:
/// progress, the last line that was printed, the counts of a for_each, errors, who is waited for. Jobs that steps
/// started stand below these. Pure.
[[nodiscard]] std::vector<TreeLine> tree_lines(const JobTree& tree, bool utf8);

/// Prints all of them, in colour where there are any.
void print_tree(const Io& io, const JobTree& tree);

/// How a state is coloured.
[[nodiscard]] Tone tone_of(JobState state);
[[nodiscard]] Tone tone_of(StepState state);

/// "3 of 10 COMPLETED, 2 RUNNING": of the items of a for_each.
[[nodiscard]] std::string items_text(const StepCounts& items);

/// "12.3s": how long it has run, or ran; empty when it has not begun.
[[nodiscard]] std::string run_time(const std::optional<Timestamp>& started, const std::optional<Timestamp>& finished,
                                   Timestamp now);

/// The command that decides an approval.
[[nodiscard]] std::string approve_command(const Uuid& job, const std::string& step);

/// Whether it waits for a person's decision.
[[nodiscard]] bool waits_for_approval(const StepInfo& step);

}  // namespace holdfast::cli
