#include "engine/recovery/liveness.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/task/task_spec.h"

namespace holdfast::engine {

namespace {

/// A run whose specification cannot be read may have started anything.
bool may_run_in_container(const std::string& spec) {
    if (spec.empty()) return false;
    const auto parsed = core::parse_task_spec(spec);
    return !parsed || parsed->runs_in_container();
}

bool settles_a_run(const JudgedLease& judged) {
    return judged.lease.started && judged.verdict.action != core::Action::Keep;
}

}  // namespace

core::LeaseSeen lease_seen(const store::LeaseRecord& lease) {
    return {.started = lease.started,
            .on_crash = lease.policy.on_crash,
            .holds_key = lease.holds_key,
            .fence = lease.policy.fence,
            .in_container = lease.started && may_run_in_container(lease.spec)};
}

RecoveryReport Liveness::run_once(bool sweeps) {
    RecoveryReport report;
    has_lost_itself_ = false;
    const store::LivenessView view = store_.look();
    const Duration now = stopwatch_();
    std::map<Uuid, Sight> sights;
    for (const store::WorkerLiveness& worker : view.workers) sights[worker.id] = sight_of(host_, worker);
    observer_.see(view, sights, now);
    for (const store::WorkerLiveness& worker : view.workers)
        look_at(worker, observer_.worker(worker.id, now), sweeps, report, now);
    for (const Uuid& id : view.unregistered) {
        store::WorkerLiveness worker;
        worker.id = id;
        worker.status = store::WorkerStatus::Inactive;  // there is no row to mark
        look_at(worker, observer_.unregistered(id, now), sweeps, report, now);
    }
    return report;
}

void Liveness::look_at(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, bool sweeps,
                       RecoveryReport& report, Duration now) {
    const bool is_certain = core::is_certain(seen.evidence);
    const bool is_self = worker.id == self_;
    if (is_self) has_lost_itself_ = is_lost(seen);
    if (is_self || seen.evidence == core::Evidence::None || !(sweeps || is_certain)) return;
    if (is_lost(seen)) return recover(worker, seen, report, now);
    if (!is_certain) count_runs(worker.id, now);
}

/// A worker that is out of sight may not stop its runs in time, so their time counts from here at the latest.
void Liveness::count_runs(const Uuid& worker, Duration now) {
    const auto leases = store_.leases({.worker = worker, .after = std::nullopt, .limit = store::max_batch_rows});
    for (const store::LeaseRecord& lease : leases)
        (void)run_times_.is_out_of_time(lease, Duration::zero(), observer_.unbroken_view(now), now);
}

/// Decided by the shortest required age of any of its leases, that of one that never started.
bool Liveness::is_lost(const core::WorkerSeen& seen) const {
    if (seen.evidence == core::Evidence::None) return false;
    core::Thresholds thresholds = thresholds_;
    thresholds.auto_requeue_stale_claimed = true;
    return core::judge(seen, core::LeaseSeen{}, thresholds).action != core::Action::Keep;
}

void Liveness::recover(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
                       Duration now) {
    if (worker.status != store::WorkerStatus::Inactive && !mark(worker, seen, report, now)) return;
    settle(worker, seen, report, now);
}

bool Liveness::mark(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
                    Duration now) {
    const std::string what = concat("Worker ", worker.name, " (", worker.id.to_string(), ") on host ",
                                    worker.host.hostname, " ", observer_.describe(worker.id, now), "; observer up ",
                                    format_duration(std::chrono::floor<std::chrono::seconds>(seen.unbroken_view)));
    const std::string data =
        nlohmann::json{{"evidence", word_of(seen.evidence)},
                       {"age_ms", std::chrono::floor<std::chrono::milliseconds>(seen.evidence_age).count()},
                       {"observer_up_ms", std::chrono::floor<std::chrono::milliseconds>(seen.unbroken_view).count()}}
            .dump();
    const bool is_marked = store_
                               .mark_lost({{.worker = worker.id,
                                            .beat = worker.beat,
                                            .who = verdict_writer_.who(),
                                            .evidence = what,
                                            .data = data}})
                               .front();
    if (!is_marked) return false;  // it has beaten since
    ++report.workers_lost;
    report.remarks.push_back(what);
    return true;
}

/// Its remaining processes must be dead before any of its tasks runs elsewhere (P7).
bool Liveness::clear_away(const store::WorkerLiveness& worker, RecoveryReport& report) {
    if (host_.clear_away(worker)) return true;
    report.skip(
        concat("Worker ", worker.id.to_string(), " is gone, but processes of it cannot be killed; trying again"));
    return false;
}

void Liveness::settle(const store::WorkerLiveness& worker, const core::WorkerSeen& seen, RecoveryReport& report,
                      Duration now) {
    std::optional<Uuid> after;
    const bool is_unregistered = seen.evidence == core::Evidence::Unregistered;
    bool is_clear = !core::is_certain(seen.evidence);
    // The look may be old by now: this process may have been suspended since, and the worker may have come back.
    std::optional<store::SilentWorker> silent;
    if (is_unregistered) {
        silent = store::SilentWorker{worker.id, std::nullopt};
    } else if (!core::is_certain(seen.evidence)) {
        silent = store::SilentWorker{worker.id, worker.beat};
    }
    while (true) {
        const auto leases = store_.leases({.worker = worker.id, .after = after, .limit = store::max_batch_rows});
        if (leases.empty()) return;
        if (!is_clear && !clear_away(worker, report)) return;
        is_clear = true;
        std::vector<JudgedLease> judged;
        judged.reserve(leases.size());
        for (const store::LeaseRecord& lease : leases)
            judged.push_back({lease, seen, judge(worker, lease, seen, now)});
        // The worker may be alive, so its processes are left alone until one of its runs is settled. Its machine is
        // unknown, so each sweeper kills only on its own.
        if (is_unregistered && std::ranges::any_of(judged, settles_a_run) && !clear_away(worker, report)) return;
        report += verdict_writer_.apply(judged, now, silent);
        if (leases.size() < store::max_batch_rows) return;
        after = leases.back().lease.task;
    }
}

core::Verdict Liveness::judge(const store::WorkerLiveness& worker, const store::LeaseRecord& lease,
                              const core::WorkerSeen& seen, Duration now) {
    core::LeaseSeen known = lease_seen(lease);
    known.out_of_time = run_times_.is_out_of_time(lease, Duration::zero(), observer_.unbroken_view(now), now);
    if (!known.in_container) return core::judge(seen, known, thresholds_);
    known.container_stopped = true;  // the container is stopped only if the lease would then end now
    core::Verdict verdict = core::judge(seen, known, thresholds_);
    if (verdict.action == core::Action::Keep) return verdict;
    known.container_stopped = host_.stop_container(worker, lease.lease);
    return core::judge(seen, known, thresholds_);
}

}  // namespace holdfast::engine
