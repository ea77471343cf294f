#pragma once

#include <string>
#include <vector>

#include "cli/terminal/table.h"
#include "views/task.h"

namespace holdfast::cli {

using views::TaskStory;

struct TimelineEntry {
    Timestamp at;
    std::string text;
    Tone tone = Tone::Plain;
};

/// The history of a task from its submission to its end, or to the reason why it waits now. Pure.
[[nodiscard]] std::vector<TimelineEntry> timeline_of(const TaskStory& story);

/// Prints a time and its event, always as one line.
void print_entry(const Io& io, const TimelineEntry& entry);

/// The state of a task, job or step in its colour.
[[nodiscard]] Cell state_cell(std::string_view word);

/// The event as text: "cancelled: cancelled before it started (by ann@web-1 (cli))".
[[nodiscard]] std::string event_text(const store::EventRecord& event);

/// The error as text: "CODE: message", or only the code.
[[nodiscard]] std::string error_text(const TaskError& error);

/// The duration, rounded for people: "1.2s", "3m20s".
[[nodiscard]] std::string rough_duration(Duration length);

}  // namespace holdfast::cli
