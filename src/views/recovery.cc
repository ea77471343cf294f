#include "views/recovery.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "platform/zone_files.h"
#include "views/worker.h"

namespace holdfast::views {

namespace {

constexpr std::size_t events_searched = 1000;
constexpr std::size_t recoveries_told = 10;

/// Judges a worker by one look. `silence`: since its last heartbeat.
SeenWorker seen_worker(const store::WorkerLiveness& worker, const engine::Sight& sight, Duration silence) {
    if (core::is_certain(sight.evidence)) return {worker, sight.evidence, sight.how};
    if (worker.proves_session && !worker.session_held)
        return {worker, core::Evidence::Disconnected, "its session is gone"};
    if (worker.via == store::Via::Server && worker.disconnected)
        return {worker, core::Evidence::Disconnected, "its stream to a server has ended"};
    if (silence <= 2 * worker.beat_interval) return {worker, core::Evidence::None, "beats"};
    const auto seconds_ago = std::chrono::floor<std::chrono::seconds>(silence);
    return {worker, core::Evidence::Silent, concat("last beat ", format_duration(seconds_ago), " ago")};
}

std::vector<SeenWorker> look(store::RecoveryStore& store, engine::HostWatch& host) {
    std::map<Uuid, Duration> silences;
    for (const auto& worker : store.workers()) silences[worker.registration.id] = worker.seconds_ago;
    std::vector<SeenWorker> seen;
    const store::LivenessView view = store.look();
    for (const store::WorkerLiveness& worker : view.workers)
        seen.push_back(seen_worker(worker, engine::sight_of(host, worker), silences[worker.id]));
    for (const Uuid& id : view.unregistered) {
        SeenWorker& missing = seen.emplace_back();
        missing.worker.id = id;
        missing.evidence = core::Evidence::Unregistered;
        missing.how = "it holds tasks, and the store has no row for it";
    }
    return seen;
}

std::vector<RecoveryEvent> last_recoveries(store::ClientStore& store) {
    static const std::set<std::string> kinds = {"worker_lost",         "worker_reactivated", "requeued", "failed",
                                                "late_result_refused", "stop_requested",     "expired",  "rejected",
                                                "rolled_over",         "submits_lost"};
    std::vector<RecoveryEvent> found;
    for (auto& event : store.last_events(events_searched))
        if (kinds.contains(event.kind) && found.size() < recoveries_told) found.push_back({std::move(event)});
    return found;
}

Json write_counts(const engine::ServicePass& pass) {
    return counts_shape(pass.report);
}

void read_counts(const Json& shape, engine::ServicePass& pass) {
    for (const auto& [what, count] : engine::report_counts) pass.report.*count = shape.at(std::string(what));
}

Json counts_schema() {
    schema::Members members;
    for (const auto& [what, count] : engine::report_counts) members.emplace_back(what, schema::integer());
    return schema::object(members);
}

}  // namespace

void Form<core::Evidence>::read(const Json& shape, core::Evidence& evidence) {
    const auto all = values_of<core::Evidence>();
    const auto found = std::ranges::find_if(all, [&](core::Evidence each) { return shape == word_for(each); });
    if (found == all.end()) misfit("kind of evidence", shape);
    evidence = *found;
}

std::vector<std::string> Form<core::Evidence>::words() {
    std::vector<std::string> words;
    for (const core::Evidence each : values_of<core::Evidence>()) words.push_back(word_for(each));
    return words;
}

std::string word_for(core::Evidence evidence) {
    return evidence == core::Evidence::None ? "alive" : std::string(word_of(evidence));
}

std::map<std::string, int> count_by_evidence(const RecoveryStatus& status) {
    std::map<std::string, int> counts;
    for (const core::Evidence evidence : values_of<core::Evidence>()) counts[word_for(evidence)] = 0;
    for (const SeenWorker& worker : status.workers) ++counts[word_for(worker.evidence)];
    return counts;
}

RecoveryStatus read_recovery_status(store::Store& store, engine::HostWatch& host, const std::string& who) {
    return {.holder = store.sweep_lease(who, Duration::zero()).holder,
            .notes = store.sweep_notes(),
            .workers = look(store, host),
            .events = last_recoveries(store),
            .now = store.now()};
}

std::string pruned_message(const store::PruneAnswer& pruned) {
    return concat("had history removed: ", pruned.tasks, " tasks, ", pruned.jobs, " jobs");
}

engine::SweepSettings sweep_settings(const config::Config& config) {
    const config::RecoveryConfig& recovery = config.recovery;
    engine::SweepSettings settings;
    settings.thresholds = {.worker_stale = recovery.worker_stale_threshold,
                           .disconnect_grace = recovery.disconnect_grace,
                           .claimed_stale = recovery.claimed_stale_threshold,
                           .running_stale = recovery.running_stale_threshold,
                           .auto_requeue_stale_claimed = recovery.auto_requeue_stale_claimed,
                           .auto_fail_stale_running = recovery.auto_fail_stale_running};
    settings.check_interval = recovery.check_interval;
    settings.unmatched_grace = recovery.unmatched_step_timeout;
    settings.unmatched_steps = recovery.unmatched_steps;
    settings.retention = {.heartbeats = config.retention.heartbeat,
                          .worker_states = config.retention.worker_state,
                          .terminal = config.retention.terminal_record,
                          .orders = config.retention.audit};
    settings.zones = [](const std::string& name) { return platform::read_zone(name); };
    return settings;
}

std::vector<engine::StaleTask> find_stale(store::RecoveryStore& store, const config::RecoveryConfig& recovery,
                                          const std::optional<Duration>& threshold) {
    if (threshold) return engine::find_stale(store, *threshold);
    const Duration claimed = recovery.claimed_stale_threshold, running = recovery.running_stale_threshold;
    auto stale = engine::find_stale(store, std::min(claimed, running));
    std::erase_if(stale,
                  [&](const auto& each) { return each.quiet_for <= (each.lease.started ? running : claimed); });
    return stale;
}

store::PruneAnswer prune(store::RecoveryStore& store, const config::RetentionConfig& retention,
                         const PruneOrder& order) {
    const store::PruneParams params{.heartbeats_older_than = retention.heartbeat,
                                    .worker_states_older_than = retention.worker_state,
                                    .terminal_older_than = retention.terminal_record,
                                    .orders_older_than = retention.audit,
                                    .dry_run = order.dry_run,
                                    .clock_is_right = order.clock_is_right};
    store::PruneAnswer all = store.prune(params);
    while (all.more && !order.dry_run) {
        const store::PruneAnswer batch = store.prune(params);
        all.heartbeats += batch.heartbeats;
        all.worker_states += batch.worker_states;
        all.tasks += batch.tasks;
        all.jobs += batch.jobs;
        all.workers += batch.workers;
        all.orders += batch.orders;
        all.more = batch.more;
        all.doubt = batch.doubt;
    }
    return all;
}

Json counts_shape(const engine::RecoveryReport& report) {
    Json shape = Json::object();
    for (const auto& [what, count] : engine::report_counts) shape[std::string(what)] = report.*count;
    return shape;
}

Table<store::SweepNote> table(Of<store::SweepNote>) {
    using Note = store::SweepNote;
    static constexpr Member<Note> members[] = {
        member<&Note::service>("service"),
        member<&Note::who>("who"),
        member<&Note::at>("at"),
        member<&Note::did>("did", json_counts),
        member<&Note::failure>("failure", or_null),
    };
    return {"ServiceNote", members};
}

Table<SeenWorker> table(Of<SeenWorker>) {
    using Worker = store::WorkerLiveness;
    static constexpr Member<SeenWorker> members[] = {
        member<&SeenWorker::worker, &Worker::id>("id"),
        member<&SeenWorker::worker, &Worker::name>("name"),
        member<&SeenWorker::worker, &Worker::host, &store::HostIdentity::hostname>("host"),
        member<&SeenWorker::evidence>("evidence"),
        member<&SeenWorker::how>("how"),
    };
    return {"SeenWorker", members};
}

Table<RecoveryEvent> table(Of<RecoveryEvent>) {
    static constexpr Member<RecoveryEvent> members[] = {
        members_of_base<store::EventRecord>(),
        member<&store::EventRecord::task>("task", or_null),
    };
    return {"RecoveryEvent", members};
}

Table<RecoveryStatus> table(Of<RecoveryStatus>) {
    static constexpr Member<RecoveryStatus> members[] = {
        member<&RecoveryStatus::holder>("sweeper", or_null), member<&RecoveryStatus::notes>("services"),
        derived<count_by_evidence>("by_evidence"),           member<&RecoveryStatus::workers>("workers"),
        member<&RecoveryStatus::events>("events"),
    };
    return {"RecoveryStatus", members};
}

Table<RecoveryView> table(Of<RecoveryView>) {
    static constexpr Member<RecoveryView> members[] = {
        members_of<&RecoveryView::status>(),
        member<&RecoveryView::replicas>("replicas"),
    };
    return {"Recovery", members};
}

Table<store::ReplicaRecord> table(Of<store::ReplicaRecord>) {
    using Record = store::ReplicaRecord;
    using store::Replica;
    static constexpr Member<Record> members[] = {
        member<&Record::replica, &Replica::id>("id"),
        member<&Record::replica, &Replica::hostname>("host"),
        member<&Record::replica, &Replica::pid>("pid"),
        member<&Record::replica, &Replica::version>("version"),
        member<&Record::replica, &Replica::address>("address"),
        member<&Record::started_at>("started_at"),
        member<&Record::last_heartbeat>("last_heartbeat"),
        member<&Record::seconds_ago>("seconds_ago", seconds),
        member<&Record::replica, &Replica::sweeping>("sweeping"),
    };
    return {"Replica", members};
}

Table<engine::StaleTask> table(Of<engine::StaleTask>) {
    using Stale = engine::StaleTask;
    static constexpr Member<Stale> members[] = {
        members_of<&Stale::lease>(),
        member<&Stale::lease, &store::LeaseRecord::worker>("worker"),
        member<&Stale::worker_name>("worker_name", or_null),
        member<&Stale::hostname>("host", or_null),
        member<&Stale::worker_is_alive>("worker_is_alive"),
        member<&Stale::quiet_for>("quiet_seconds", seconds),
    };
    return {"StaleTask", members};
}

Table<engine::ManualAnswer> table(Of<engine::ManualAnswer>) {
    using Answer = engine::ManualAnswer;
    static constexpr Member<Answer> members[] = {
        member<&Answer::settled>("settled"),
        member<&Answer::asked>("asked", "workers that were asked to stop a run"),
    };
    return {"Settled", members};
}

Table<engine::ServicePass> table(Of<engine::ServicePass>) {
    using Pass = engine::ServicePass;
    static constexpr Member<Pass> members[] = {
        member<&Pass::service>("service"),
        {{}, {}, write_counts, read_counts, counts_schema},
        member<&Pass::report, &engine::RecoveryReport::remarks>("remarks"),
        member<&Pass::failure>("failure", or_null),
    };
    return {"ServicePass", members};
}

Table<PruneView> table(Of<PruneView>) {
    using View = PruneView;
    using Pruned = store::PruneAnswer;
    static constexpr Member<View> members[] = {
        member<&View::dry_run>("dry_run"),
        member<&View::pruned, &Pruned::tasks>("tasks"),
        member<&View::pruned, &Pruned::jobs>("jobs"),
        member<&View::pruned, &Pruned::workers>("workers"),
        member<&View::pruned, &Pruned::heartbeats>("heartbeats"),
        member<&View::pruned, &Pruned::worker_states>("worker_states"),
        member<&View::pruned, &Pruned::orders>("orders", "lines of the audit"),
        member<&View::pruned, &Pruned::more>("more"),
        member<&View::pruned, &Pruned::doubt>("doubt", or_null, "why nothing was removed"),
    };
    return {"Pruned", members};
}

}  // namespace holdfast::views
