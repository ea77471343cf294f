#include "cli/tasks/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace holdfast::cli {

namespace {

std::string submit_text(const store::TaskRecord& record) {
    std::string text = fmt::format("submitted to queue {}", record.task.queue);
    if (!record.task.retry_of.is_nil()) text += fmt::format(", as a retry of {}", record.task.retry_of.to_string());
    return text;
}

void add_attempt(std::vector<TimelineEntry>& entries, const store::AttemptRecord& attempt) {
    entries.push_back({attempt.started_at, fmt::format("attempt {} started on worker {} (lease {})", attempt.number,
                                                       attempt.worker.to_string(), attempt.lease)});
    std::string end = fmt::format("attempt {} {} after {}", attempt.number, word_of(attempt.end),
                                  rough_duration(attempt.finished_at - attempt.started_at));
    if (attempt.error) end += fmt::format(": {}", error_text(*attempt.error));
    const bool good = attempt.end == core::LeaseEnd::Completed;
    entries.push_back({attempt.finished_at, std::move(end), good ? Tone::Good : Tone::Bad});
}

std::string holder_text(const store::TaskRecord& record) {
    return fmt::format("worker {} (lease {})", record.worker.to_string(), record.lease);
}

void add_present(std::vector<TimelineEntry>& entries, const TaskStory& story) {
    const store::TaskRecord& record = story.task;
    switch (record.state) {
        case TaskState::Pending:
            if (story.waiting)
                entries.push_back({story.now, fmt::format("now: {}", story.waiting->sentence), Tone::Busy});
            return;
        case TaskState::Claimed:
            entries.push_back({record.claimed_at.value_or(story.now),
                               fmt::format("claimed by {}", holder_text(record)), Tone::Busy});
            return;
        case TaskState::Running:
            entries.push_back(
                {record.started_at.value_or(story.now),
                 fmt::format("attempt {} running on {}", record.history.next_attempt_number(), holder_text(record)),
                 Tone::Busy});
            return;
        case TaskState::Completed:
        case TaskState::Failed:
        case TaskState::Cancelled:
        case TaskState::Expired: {
            Cell state = state_cell(to_text(record.state));
            if (record.error) state.text += fmt::format(": {}", error_text(*record.error));
            entries.push_back({record.finished_at.value_or(story.now), std::move(state.text), state.tone});
            return;
        }
    }
}

}  // namespace

std::vector<TimelineEntry> timeline_of(const TaskStory& story) {
    std::vector<TimelineEntry> entries;
    entries.push_back({story.task.created_at, submit_text(story.task)});
    for (const auto& attempt : story.attempts) add_attempt(entries, attempt);
    for (const auto& event : story.events) entries.push_back({event.at, event_text(event)});
    add_present(entries, story);
    // A stable sort keeps events of the same microsecond in the order of the life cycle.
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    return entries;
}

void print_entry(const Io& io, const TimelineEntry& entry) {
    io.out << paint(io, Tone::Faint, fmt::format("{:<28}", format_timestamp(entry.at)))
           << paint(io, entry.tone, visible_line(entry.text)) << '\n';
}

Cell state_cell(std::string_view word) {
    using Tones = std::map<std::string_view, Tone>;
    static const Tones tones = {{"CLAIMED", Tone::Busy},   {"RUNNING", Tone::Busy},   {"PAUSED", Tone::Strong},
                                {"COMPLETED", Tone::Good}, {"FAILED", Tone::Bad},     {"EXPIRED", Tone::Bad},
                                {"SKIPPED", Tone::Faint},  {"CANCELLED", Tone::Faint}};
    const auto tone = tones.find(word);
    return {std::string(word), tone == tones.end() ? Tone::Plain : tone->second};
}

std::string event_text(const store::EventRecord& event) {
    const std::string by = event.who.empty() ? "" : fmt::format(" (by {})", event.who);
    return fmt::format("{}: {}{}", event.kind, event.message, by);
}

std::string error_text(const TaskError& error) {
    return error.message.empty() ? error.code : fmt::format("{}: {}", error.code, error.message);
}

std::string rough_duration(Duration length) {
    using namespace std::chrono_literals;
    if (length < 10s) return format_duration(std::chrono::floor<std::chrono::milliseconds>(length));
    return format_duration(std::chrono::floor<std::chrono::seconds>(length));
}

}  // namespace holdfast::cli
