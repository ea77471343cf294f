#include "views/recovery_view.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "views/shapes.h"

namespace holdfast::views {

namespace {

constexpr std::size_t events_searched = 1000;
constexpr std::size_t recoveries_told = 10;

std::map<Uuid, Duration> silence_of_workers(store::Store& store) {
    std::map<Uuid, Duration> silences;
    for (const auto& worker : store.workers()) silences[worker.registration.id] = worker.seconds_ago;
    return silences;
}

/// One look has no time to observe: silence is by the store's clock, for people.
std::vector<SeenWorker> look(store::Store& store, engine::HostWatch& host) {
    const auto silences = silence_of_workers(store);
    std::vector<SeenWorker> seen;
    const store::LivenessView view = store.look();
    for (const store::WorkerLiveness& worker : view.workers) {
        const engine::Sight sight = host.look_at(worker);
        const auto silence = silences.find(worker.id);
        const bool is_silent = silence != silences.end() && silence->second > 2 * worker.beat_interval;
        if (core::is_certain(sight.evidence))
            seen.push_back({worker, sight.evidence, sight.how});
        else if (worker.proves_session && !worker.session_held)
            seen.push_back({worker, core::Evidence::Disconnected, "its session is gone"});
        else if (is_silent)
            seen.push_back(
                {worker, core::Evidence::Silent,
                 "last beat " + format_duration(std::chrono::floor<std::chrono::seconds>(silence->second)) + " ago"});
        else
            seen.push_back({worker, core::Evidence::None, "beats"});
    }
    for (const Uuid& id : view.unregistered) {
        SeenWorker& missing = seen.emplace_back();
        missing.worker.id = id;
        missing.evidence = core::Evidence::Unregistered;
        missing.how = "it holds tasks, and the store has no row for it";
    }
    return seen;
}

std::vector<store::EventRecord> last_recoveries(store::Store& store) {
    static const std::set<std::string> kinds = {"worker_lost",         "worker_reactivated", "requeued", "failed",
                                                "late_result_refused", "stop_requested",     "expired",  "rejected"};
    std::vector<store::EventRecord> found;
    for (auto& event : store.last_events(events_searched))
        if (kinds.contains(event.kind) && found.size() < recoveries_told) found.push_back(std::move(event));
    return found;
}

store::PruneParams params_of(const config::RetentionConfig& retention, const PruneOrder& order) {
    return {.heartbeats_older_than = retention.heartbeat,
            .worker_states_older_than = retention.worker_state,
            .terminal_older_than = retention.terminal_record,
            .dry_run = order.dry_run,
            .clock_is_right = order.clock_is_right};
}

/// Batch by batch, so that claims never wait for it.
store::PruneAnswer prune_all(store::Store& store, const store::PruneParams& params) {
    store::PruneAnswer all{.more = true};
    while (all.more) {
        const store::PruneAnswer batch = store.prune(params);
        all.heartbeats += batch.heartbeats;
        all.worker_states += batch.worker_states;
        all.tasks += batch.tasks;
        all.jobs += batch.jobs;
        all.workers += batch.workers;
        all.more = batch.more;
        all.doubt = batch.doubt;
    }
    return all;
}

}  // namespace

std::string word_for(core::Evidence evidence) {
    return evidence == core::Evidence::None ? "alive" : std::string(core::to_text(evidence));
}

std::map<std::string, int> count_by_evidence(const std::vector<SeenWorker>& workers) {
    std::map<std::string, int> counts;
    for (const core::Evidence evidence :
         {core::Evidence::None, core::Evidence::Silent, core::Evidence::Unregistered, core::Evidence::Disconnected,
          core::Evidence::Rebooted, core::Evidence::Exited})
        counts[word_for(evidence)] = 0;
    for (const SeenWorker& worker : workers) ++counts[word_for(worker.evidence)];
    return counts;
}

RecoveryStatus read_recovery_status(store::Store& store, engine::HostWatch& host, const std::string& who) {
    return {.holder = store.sweep_lease(who, Duration::zero()).holder,
            .notes = store.sweep_notes(),
            .workers = look(store, host),
            .events = last_recoveries(store),
            .now = store.now()};
}

std::vector<engine::StaleTask> find_stale(store::Store& store, const config::RecoveryConfig& recovery,
                                          const std::optional<Duration>& threshold) {
    if (threshold) return engine::find_stale(store, *threshold);
    const Duration claimed = recovery.claimed_stale_threshold, running = recovery.running_stale_threshold;
    auto stale = engine::find_stale(store, std::min(claimed, running));
    std::erase_if(stale,
                  [&](const auto& each) { return each.quiet_for <= (each.lease.started ? running : claimed); });
    return stale;
}

std::string_view state_of(const engine::StaleTask& stale) {
    return stale.lease.started ? "RUNNING" : "CLAIMED";
}

store::PruneAnswer prune(store::Store& store, const config::RetentionConfig& retention, const PruneOrder& order) {
    const store::PruneParams params = params_of(retention, order);
    return order.dry_run ? store.prune(params) : prune_all(store, params);
}

Json to_json_shape(const RecoveryStatus& status) {
    Json services = Json::array(), workers = Json::array(), events = Json::array();
    for (const auto& note : status.notes)
        services.push_back({{"service", note.service},
                            {"who", note.who},
                            {"at", format_timestamp(note.at)},
                            {"did", embedded(note.did)},
                            {"failure", note.failure.empty() ? Json() : Json(note.failure)}});
    for (const SeenWorker& seen : status.workers)
        workers.push_back({{"id", seen.worker.id.to_string()},
                           {"name", seen.worker.name},
                           {"host", seen.worker.host.hostname},
                           {"evidence", word_for(seen.evidence)},
                           {"how", seen.how}});
    for (const auto& event : status.events) {
        Json shape = to_json_shape(event);
        shape["task"] = event.task.is_nil() ? Json() : Json(event.task.to_string());
        events.push_back(std::move(shape));
    }
    return {{"sweeper", status.holder.empty() ? Json() : Json(status.holder)},
            {"services", services},
            {"by_evidence", count_by_evidence(status.workers)},
            {"workers", workers},
            {"events", events}};
}

Json to_json_shape(const engine::StaleTask& stale) {
    return {{"id", stale.lease.lease.task.to_string()},
            {"name", stale.lease.name},
            {"state", state_of(stale)},
            {"lease", stale.lease.lease.lease},
            {"worker", stale.lease.worker.to_string()},
            {"worker_name", text_or_null(stale.worker_name)},
            {"host", text_or_null(stale.hostname)},
            {"worker_is_alive", stale.worker_is_alive},
            {"quiet_seconds", std::chrono::duration<double>(stale.quiet_for).count()}};
}

Json to_json_shape(const engine::ManualAnswer& answer) {
    return {{"settled", answer.settled}, {"asked", answer.asked}};
}

Json counts_shape(const engine::RecoveryReport& report) {
    Json shape = Json::object();
    for (const auto& [what, count] : engine::counts_of(report)) shape[std::string(what)] = count;
    return shape;
}

Json to_json_shape(const engine::ServicePass& pass) {
    Json shape = {{"service", pass.service}};
    shape.update(counts_shape(pass.report));
    shape["remarks"] = pass.report.remarks;
    shape["failure"] = pass.failure.empty() ? Json() : Json(pass.failure);
    return shape;
}

Json to_json_shape(const store::PruneAnswer& pruned, bool dry_run) {
    return {{"dry_run", dry_run},
            {"tasks", pruned.tasks},
            {"jobs", pruned.jobs},
            {"workers", pruned.workers},
            {"heartbeats", pruned.heartbeats},
            {"worker_states", pruned.worker_states},
            {"more", pruned.more},
            {"doubt", text_or_null(pruned.doubt)}};
}

}  // namespace holdfast::views
