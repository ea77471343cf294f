#include "cli/workers/worker_view.h"

#include <fmt/format.h>

#include "cli/tasks/timeline.h"

namespace holdfast::cli {

std::string status_text(const store::WorkerRecord& record) {
    std::string text(word_of(record.status));
    if (record.drain_requested && record.status == store::WorkerStatus::Active) text += ", asked to drain";
    if (record.cordoned) text += ", cordoned";
    return text;
}

Cell freshness_cell(const WorkerView& worker) {
    if (views::has_left(worker.record)) return {"-", Tone::Faint};
    return worker.fresh ? Cell{"fresh", Tone::Good} : Cell{"stale", Tone::Bad};
}

std::string beat_text(const store::WorkerRecord& record) {
    return record.last_heartbeat ? fmt::format("{} ago", rough_duration(record.seconds_ago)) : "none yet";
}

std::string load_text(const store::WorkerRecord& record) {
    return fmt::format("{}/{}", record.held.size(), record.registration.capacity);
}

}  // namespace holdfast::cli
