#include "engine/recovery/stale_leases.h"

#include <set>

#include "engine/recovery/liveness.h"

namespace holdfast::engine {

namespace {

/// How much later than the worker itself a run is asked to stop.
constexpr Duration timeout_margin = std::chrono::seconds(30);

}  // namespace

RecoveryReport StaleLeases::run_once(Duration now) {
    RecoveryReport report;
    note_beats(now);
    std::set<store::Lease> unlisted, running;
    std::optional<Uuid> after;
    while (true) {
        const auto leases = store_.leases({.worker = std::nullopt, .after = after, .limit = store::max_batch_rows});
        std::map<Uuid, std::vector<JudgedLease>> judged;  // by worker
        std::vector<store::StopRequest> to_stop;
        for (const store::LeaseRecord& lease : leases) {
            const bool out_of_time =
                run_times_.is_out_of_time(lease, timeout_margin, observer_.unbroken_view(now), now);
            if (lease.started) running.insert(lease.lease.lease);
            const auto worker = live_.find(lease.worker);
            if (worker == live_.end()) continue;  // Liveness handles dead workers
            if (lease.unlisted_beats > 0) unlisted.insert(lease.lease.lease);
            core::LeaseSeen seen = lease_seen(lease);
            seen.in_container = false;  // its worker is alive and can stop it
            seen.quiet_for = quiet_for(lease, now);
            const core::WorkerSeen& holder = worker->second.seen;
            judged[lease.worker].push_back({lease, holder, core::judge(holder, seen, thresholds_)});
            if (out_of_time) to_stop.push_back({lease.lease, store::StopReason::Timeout});
        }
        for (const auto& [worker, of_worker] : judged)
            report += verdict_writer_.apply(of_worker, now, store::SilentWorker{worker, live_.at(worker).beat});
        ask(to_stop, report);
        if (leases.size() < store::max_batch_rows) break;
        after = leases.back().lease.task;
    }
    std::erase_if(unlisted_since_, [&](const auto& each) { return !unlisted.contains(each.first); });
    run_times_.forget_all_but(running);
    return report;
}

void StaleLeases::note_beats(Duration now) {
    live_.clear();
    std::map<store::Lease, Signs> signs;
    for (const store::WorkerRecord& worker : store_.workers()) {
        if (!observer_.knows(worker.registration.id)) continue;
        const core::WorkerSeen seen = observer_.worker(worker.registration.id, now);
        if (seen.evidence != core::Evidence::None) continue;
        live_[worker.registration.id] = {seen, worker.beat};
        for (const store::HeldLease& held : worker.held) {
            if (!held.running) continue;
            const auto before = signs_.find(held.lease.lease);
            const bool is_news = before == signs_.end() || before->second.beat != worker.beat;
            signs[held.lease.lease] = is_news ? Signs{held.runner_beat_age, now, worker.beat} : before->second;
        }
    }
    signs_ = std::move(signs);
}

Duration StaleLeases::quiet_for(const store::LeaseRecord& lease, Duration now) {
    if (lease.unlisted_beats > 0) {
        const auto [since, is_new] = unlisted_since_.try_emplace(lease.lease.lease, now);
        return now - since->second;
    }
    const auto signs = signs_.find(lease.lease.lease);
    if (!lease.started || signs == signs_.end()) return Duration::zero();
    return signs->second.runner_age + (now - signs->second.said_at);
}

void StaleLeases::ask(const std::vector<store::StopRequest>& requests, RecoveryReport& report) {
    if (requests.empty()) return;
    const auto answers = store_.ask_to_stop(
        {.requests = requests, .who = verdict_writer_.who(), .reason = "Step timed out (server-side enforcement)"});
    for (const store::Fenced answer : answers)
        if (answer == store::Fenced::Applied) ++report.asked;
}

}  // namespace holdfast::engine
