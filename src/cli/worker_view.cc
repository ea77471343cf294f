#include "cli/worker_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/timeline.h"

namespace holdfast::cli {

namespace {

bool has_left(const store::WorkerRecord& record) {
    return record.status == store::WorkerStatus::Inactive;
}

std::int64_t count_held(const store::WorkerRecord& record, bool running) {
    return std::count_if(record.held.begin(), record.held.end(),
                         [&](const store::HeldLease& held) { return held.running == running; });
}

}  // namespace

WorkerView view_of(const store::WorkerRecord& record, const config::RecoveryConfig& recovery) {
    const Duration patience = std::max(recovery.worker_stale_threshold, 3 * record.registration.beat_interval);
    return {record, !has_left(record) && record.seconds_ago <= patience};
}

std::string status_text(const store::WorkerRecord& record) {
    std::string text(to_text(record.status));
    if (record.drain_requested && record.status == store::WorkerStatus::Active) text += ", asked to drain";
    if (record.cordoned) text += ", cordoned";
    return text;
}

Cell freshness_cell(const WorkerView& worker) {
    if (has_left(worker.record)) return {"-", Tone::Faint};
    return worker.fresh ? Cell{"fresh", Tone::Good} : Cell{"stale", Tone::Bad};
}

std::string beat_text(const store::WorkerRecord& record) {
    return record.last_heartbeat ? fmt::format("{} ago", rough_duration(record.seconds_ago)) : "none yet";
}

std::string load_text(const store::WorkerRecord& record) {
    return fmt::format("{}/{}", record.held.size(), record.registration.capacity);
}

Json to_json_shape(const WorkerView& worker) {
    const store::WorkerRecord& record = worker.record;
    const store::WorkerRegistration& registration = record.registration;
    return {{"id", registration.id.to_string()},
            {"name", registration.name},
            {"status", to_text(record.status)},
            {"cordoned", record.cordoned},
            {"drain_requested", record.drain_requested},
            {"fresh", worker.fresh},
            {"last_heartbeat", record.last_heartbeat ? Json(format_timestamp(*record.last_heartbeat)) : Json()},
            {"seconds_ago", std::chrono::duration<double>(record.seconds_ago).count()},
            {"running", count_held(record, true)},
            {"claimed", count_held(record, false)},
            {"capacity", registration.capacity},
            {"queues", registration.queues},
            {"tags", registration.tags},
            {"version", registration.version},
            {"host", registration.host.hostname},
            {"pid", registration.host.pid},
            {"registered_at", format_timestamp(record.registered_at)}};
}

}  // namespace holdfast::cli
