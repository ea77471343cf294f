#include "views/worker_view.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::views {

namespace {

constexpr std::size_t events_told = 20;
constexpr std::size_t leases_told = 1000;

std::int64_t count_held(const store::WorkerRecord& record, bool running) {
    return std::count_if(record.held.begin(), record.held.end(),
                         [&](const store::HeldLease& held) { return held.running == running; });
}

std::vector<store::EventRecord> last_events(store::Store& store, const Uuid& worker) {
    std::vector<store::EventRecord> events;
    for (std::int64_t after = 0;;) {
        const auto page = store.events({.task = {}, .worker = worker, .after_id = after, .limit = 100});
        events.insert(events.end(), page.begin(), page.end());
        if (events.size() > events_told)
            events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(events_told));
        if (page.size() < 100) return events;
        after = page.back().id;
    }
}

Json shape_of(const store::LeaseRecord& lease) {
    return {{"id", lease.lease.task.to_string()},
            {"name", lease.name},
            {"state", lease.started ? "RUNNING" : "CLAIMED"},
            {"lease", lease.lease.lease}};
}

}  // namespace

bool has_left(const store::WorkerRecord& record) {
    return record.status == store::WorkerStatus::Inactive;
}

WorkerView view_of(const store::WorkerRecord& record, const config::RecoveryConfig& recovery) {
    const Duration patience = std::max(recovery.worker_stale_threshold, 3 * record.registration.beat_interval);
    return {record, !has_left(record) && record.seconds_ago <= patience};
}

WorkerStory read_story(store::Store& store, const store::WorkerRecord& worker,
                       const config::RecoveryConfig& recovery) {
    const Uuid& id = worker.registration.id;
    return {.worker = view_of(worker, recovery),
            .leases = store.leases({.worker = id, .after = {}, .limit = leases_told}),
            .snapshots = store.worker_snapshots(id, 1),
            .events = last_events(store, id)};
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

Json to_json_shape(const WorkerStory& story) {
    Json tasks = Json::array();
    for (const auto& lease : story.leases) tasks.push_back(shape_of(lease));
    return {{"worker", to_json_shape(story.worker)},
            {"tasks", std::move(tasks)},
            {"machine", story.snapshots.empty() ? Json() : to_json_shape(story.snapshots.front())},
            {"events", array_of(story.events)}};
}

}  // namespace holdfast::views
