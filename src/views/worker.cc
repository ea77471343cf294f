#include "views/worker.h"

#include <algorithm>

#include "core/public_words.h"

namespace holdfast::views {

namespace {

constexpr std::size_t events_told = 20;
constexpr std::size_t leases_told = 1000;

std::vector<store::EventRecord> last_events(store::ClientStore& store, const Uuid& worker) {
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

template <bool running>
std::int64_t count_held(const WorkerView& worker) {
    return std::ranges::count(worker.record.held, running, &store::HeldLease::running);
}

/// Restores leases from their number, the only part that the JSON contains.
template <bool running>
void add_held(std::int64_t count, WorkerView& worker) {
    for (; count > 0; --count) worker.record.held.push_back({.lease = {}, .running = running});
}

void read_state(TaskState state, store::LeaseRecord& lease) {
    lease.started = state == TaskState::Running;
}

std::optional<store::WorkerSnapshot> newest_snapshot(const WorkerStory& story) {
    if (story.snapshots.empty()) return std::nullopt;
    return story.snapshots.front();
}

}  // namespace

TaskState state_of(const store::LeaseRecord& lease) {
    return lease.started ? TaskState::Running : TaskState::Claimed;
}

bool has_left(const store::WorkerRecord& record) {
    return record.status == store::WorkerStatus::Inactive;
}

WorkerView view_of(const store::WorkerRecord& record, const config::RecoveryConfig& recovery) {
    const Duration patience = std::max(recovery.worker_stale_threshold, 3 * record.registration.beat_interval);
    return {record, !has_left(record) && record.seconds_ago <= patience};
}

WorkerStory read_story(store::ClientStore& store, const store::WorkerRecord& worker,
                       const config::RecoveryConfig& recovery) {
    const Uuid& id = worker.registration.id;
    return {.worker = view_of(worker, recovery),
            .leases = store.leases_of(id, leases_told),
            .snapshots = store.worker_snapshots(id, 1),
            .events = last_events(store, id)};
}

Table<WorkerView> table(Of<WorkerView>) {
    using View = WorkerView;
    using Record = store::WorkerRecord;
    using Registration = store::WorkerRegistration;
    using Host = store::HostIdentity;
    static constexpr Member<View> members[] = {
        member<&View::record, &Record::registration, &Registration::id>("id"),
        member<&View::record, &Record::registration, &Registration::name>("name"),
        member<&View::record, &Record::status>("status"),
        member<&View::record, &Record::cordoned>("cordoned"),
        member<&View::record, &Record::drain_requested>("drain_requested"),
        member<&View::fresh>("fresh"),
        member<&View::record, &Record::last_heartbeat>("last_heartbeat"),
        member<&View::record, &Record::seconds_ago>("seconds_ago", seconds),
        derived<count_held<true>, add_held<true>>("running"),
        derived<count_held<false>, add_held<false>>("claimed"),
        member<&View::record, &Record::registration, &Registration::capacity>("capacity"),
        member<&View::record, &Record::registration, &Registration::queues>("queues"),
        member<&View::record, &Record::registration, &Registration::tags>("tags"),
        member<&View::record, &Record::registration, &Registration::version>("version"),
        member<&View::record, &Record::registration, &Registration::host, &Host::hostname>("host"),
        member<&View::record, &Record::registration, &Registration::host, &Host::pid>("pid"),
        member<&View::record, &Record::registration, &Registration::via>("via",
                                                                         "what stands between it and the store"),
        member<&View::record, &Record::registered_at>("registered_at"),
    };
    return {"Worker", members};
}

Table<store::LeaseRecord> table(Of<store::LeaseRecord>) {
    using Lease = store::LeaseRecord;
    static constexpr Member<Lease> members[] = {
        member<&Lease::lease, &store::TaskLease::task>("id"),
        member<&Lease::name>("name"),
        derived<state_of, read_state>("state"),
        member<&Lease::lease, &store::TaskLease::lease>("lease"),
    };
    return {"HeldTask", members};
}

Table<store::WorkerSnapshot> table(Of<store::WorkerSnapshot>) {
    using Snapshot = store::WorkerSnapshot;
    static constexpr Member<Snapshot> members[] = {
        member<&Snapshot::at>("at"),
        member<&Snapshot::running>("running"),
        member<&Snapshot::claimed>("claimed"),
        member<&Snapshot::capacity>("capacity"),
        member<&Snapshot::cpu_percent>("cpu_percent"),
        member<&Snapshot::memory_mb>("memory_mb"),
        member<&Snapshot::load>("machine_load"),
    };
    return {"WorkerState", members};
}

Table<WorkerStory> table(Of<WorkerStory>) {
    static constexpr Member<WorkerStory> members[] = {
        member<&WorkerStory::worker>("worker"),
        member<&WorkerStory::leases>("tasks"),
        derived<newest_snapshot>("machine"),
        member<&WorkerStory::events>("events"),
    };
    return {"WorkerStory", members};
}

}  // namespace holdfast::views
