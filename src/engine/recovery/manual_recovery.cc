#include "engine/recovery/manual_recovery.h"

#include <map>

#include "base/text.h"
#include "engine/backoff.h"
#include "engine/recovery/liveness.h"
#include "engine/recovery/verdict_writer.h"

namespace holdfast::engine {

namespace {

using WorkersById = std::map<Uuid, store::WorkerRecord>;

WorkersById workers_of(store::RecoveryStore& store) {
    WorkersById workers;
    for (store::WorkerRecord& worker : store.workers()) {
        const Uuid id = worker.registration.id;
        workers.emplace(id, std::move(worker));
    }
    return workers;
}

bool is_alive(const store::WorkerRecord& worker) {
    return worker.status != store::WorkerStatus::Inactive && worker.last_heartbeat &&
           worker.seconds_ago <= 3 * worker.registration.beat_interval;
}

Duration quiet_for(const store::LeaseRecord& lease, const store::WorkerRecord& worker, Timestamp now) {
    const Duration since_beat = worker.last_heartbeat ? worker.seconds_ago : now - lease.claimed_at;
    for (const store::HeldLease& held : worker.held)
        if (held.lease == lease.lease) return since_beat + (lease.started ? held.runner_beat_age : Duration::zero());
    return since_beat + lease.unlisted_beats * worker.registration.beat_interval;
}

bool may_still_run(const store::LeaseRecord& lease, const store::WorkerRecord& worker) {
    if (is_alive(worker)) return true;
    return core::may_run_elsewhere(lease_seen(lease)) && worker.seconds_ago <= worker.registration.fence_after;
}

StaleTask as_stale(const store::LeaseRecord& lease, const WorkersById& workers, Timestamp now) {
    const auto found = workers.find(lease.worker);
    if (found == workers.end())
        return {.lease = lease,
                .worker_name = {},
                .hostname = {},
                .quiet_for = now - lease.claimed_at,
                .may_still_run =
                    core::may_run_elsewhere(lease_seen(lease))};  // the time of its last beat is gone with its row
    const store::WorkerRecord& worker = found->second;
    return {.lease = lease,
            .worker_name = worker.registration.name,
            .hostname = worker.registration.host.hostname,
            .quiet_for = quiet_for(lease, worker, now),
            .worker_is_alive = is_alive(worker),
            .may_still_run = may_still_run(lease, worker)};
}

/// As for a worker that is out of sight: its containers may still run.
core::LeaseEnd end_of(const store::LeaseRecord& lease) {
    if (!lease.started) return core::LeaseEnd::NotStarted;
    core::WorkerSeen out_of_sight;
    out_of_sight.evidence = core::Evidence::Silent;
    return core::run_may_go_on(out_of_sight, lease_seen(lease)) ? core::LeaseEnd::Failed : core::LeaseEnd::Crashed;
}

store::RecoveredLease recovered(const StaleTask& stale, const std::string& who, Random& random) {
    const auto age = std::chrono::floor<std::chrono::milliseconds>(stale.quiet_for).count();
    const std::string said = concat("no sign of life for ", age, "ms; decided by ", who);
    return {.lease = stale.lease.lease,
            .worker = stale.lease.worker,
            .expect_started = stale.lease.started,
            .end = end_of(stale.lease),
            .error = {std::string(error_code::worker_crashed),
                      concat("Worker process crashed (no runner heartbeat for ", age, "ms = ", age / 1000, "s)"), ""},
            .jitter = draw_fraction(random),
            .evidence = said,
            .data = ""};
}

std::size_t settle(store::RecoveryStore& store, const std::vector<store::RecoveredLease>& leases,
                   const std::string& who) {
    std::size_t settled = 0;
    for (const store::RecoverOutcome& outcome : store.recover({.who = who, .leases = leases, .by_hand = true}))
        if (outcome.fenced == store::Fenced::Applied) ++settled;
    return settled;
}

}  // namespace

std::vector<StaleTask> find_stale(store::RecoveryStore& store, Duration threshold) {
    const WorkersById workers = workers_of(store);
    const Timestamp now = store.now();
    std::vector<StaleTask> found;
    std::optional<Uuid> after;
    while (true) {
        const auto leases = store.leases({.worker = std::nullopt, .after = after, .limit = store::max_batch_rows});
        for (const store::LeaseRecord& lease : leases) {
            StaleTask stale = as_stale(lease, workers, now);
            if (stale.quiet_for > threshold) found.push_back(std::move(stale));
        }
        if (leases.size() < store::max_batch_rows) return found;
        after = leases.back().lease.task;
    }
}

ManualAnswer fail_stale_running(store::RecoveryStore& store, Random& random, const ManualParams& params) {
    std::vector<store::RecoveredLease> dead;
    store::AskToStopParams ask{
        .requests = {}, .who = params.who, .reason = "its run gave no sign of life", .by_hand = true};
    for (const StaleTask& stale : find_stale(store, params.threshold)) {
        if (!stale.lease.started) continue;
        if (stale.may_still_run) {
            ask.requests.push_back({stale.lease.lease, store::StopReason::Timeout});
        } else {
            dead.push_back(recovered(stale, params.who, random));
        }
    }
    ManualAnswer answer{.settled = settle(store, dead, params.who)};
    for (const store::Fenced asked : store.ask_to_stop(ask))
        if (asked == store::Fenced::Applied) ++answer.asked;
    return answer;
}

ManualAnswer requeue_stale_claimed(store::RecoveryStore& store, Random& random, const ManualParams& params) {
    std::vector<store::RecoveredLease> leases;
    for (const StaleTask& stale : find_stale(store, params.threshold))
        if (!stale.lease.started) leases.push_back(recovered(stale, params.who, random));
    return {.settled = settle(store, leases, params.who)};
}

}  // namespace holdfast::engine
