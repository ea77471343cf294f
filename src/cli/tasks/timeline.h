#pragma once

#include <string>
#include <vector>

#include "cli/terminal/io.h"
#include "views/task.h"

namespace holdfast::cli {

using views::TaskStory;

struct TimelineEntry {
    Timestamp at;
    std::string text;
    Tone tone = Tone::Plain;
};

/// The task's life from its submit to its end, or to what it waits for now. Pure.
[[nodiscard]] std::vector<TimelineEntry> timeline_of(const TaskStory& story);

/// Prints a moment and what happened then, as one line whatever is in it.
void print_entry(const Io& io, const TimelineEntry& entry);

/// How a state is coloured.
[[nodiscard]] Tone tone_of(TaskState state);

/// "cancelled: cancelled before it started (by ann@web-1 (cli))".
[[nodiscard]] std::string event_text(const store::EventRecord& event);

/// "CODE: message", or the code alone.
[[nodiscard]] std::string error_text(const TaskError& error);

/// "1.2s", "3m20s": rounded to what a person wants to know.
[[nodiscard]] std::string rough_duration(Duration length);

}  // namespace holdfast::cli
