#include "tests/worker/observer.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "platform/service_loop.h"

namespace holdfast::worker_test {

namespace {

core::LeaseSeen seen_of(const store::LeaseRecord& lease) {
    return {.started = lease.started,
            .on_crash = lease.policy.on_crash,
            .holds_key = lease.holds_key,
            .fence = lease.policy.fence};
}

store::RecoveredLease verdict_on(const store::LeaseRecord& lease, const core::Verdict& verdict) {
    return {.lease = lease.lease,
            .worker = lease.worker,
            .expect_started = lease.started,
            .end = core::lease_end(verdict.action).value(),
            .error = {std::string(error_code::worker_crashed), verdict.reason, ""},
            .evidence = verdict.reason,
            .data = ""};
}

}  // namespace

store::WorkerLiveness Observer::look_at(const Uuid& worker) {
    const store::LivenessView view = store_.look();
    const auto found = std::ranges::find(view.workers, worker, &store::WorkerLiveness::id);
    if (found == view.workers.end()) throw std::runtime_error("the store shows no such worker");
    return *found;
}

std::vector<Judged> Observer::judge_exited(const Uuid& worker) {
    const store::WorkerLiveness liveness = look_at(worker);
    return judge(liveness, {.evidence = core::Evidence::Exited,
                            .beat_interval = liveness.beat_interval,
                            .fence_after = liveness.fence_after});
}

std::vector<Judged> Observer::judge_once_silent(const Uuid& worker, Duration age) {
    const Duration began = platform::machine_time();
    Duration changed_at = began;
    store::WorkerLiveness last = look_at(worker);
    while (platform::machine_time() - changed_at <= age) {
        std::this_thread::sleep_for(age / 20);
        const store::WorkerLiveness now = look_at(worker);
        if (now.beat != last.beat) changed_at = platform::machine_time();
        last = now;
    }
    const Duration end = platform::machine_time();
    return judge(last, {.evidence = core::Evidence::Silent,
                        .evidence_age = end - changed_at,
                        .unbroken_view = end - began,
                        .beat_interval = last.beat_interval,
                        .fence_after = last.fence_after});
}

std::vector<Judged> Observer::judge(const store::WorkerLiveness& worker, const core::WorkerSeen& seen) {
    const bool is_lost = store_
                             .mark_lost({{.worker = worker.id,
                                          .beat = worker.beat,
                                          .who = "observer",
                                          .evidence = std::string(word_of(seen.evidence)),
                                          .data = ""}})
                             .at(0);
    if (!is_lost) throw std::runtime_error("the worker has beaten meanwhile");
    std::vector<Judged> judged;
    for (const store::LeaseRecord& lease : store_.leases({.worker = worker.id, .after = {}})) {
        const core::Verdict verdict = core::judge(seen, seen_of(lease), thresholds_);
        Judged one{.lease = lease.lease, .started = lease.started, .action = verdict.action};
        if (verdict.action != core::Action::Keep)
            one.state = store_.recover({.who = "observer", .leases = {verdict_on(lease, verdict)}}).at(0).state;
        judged.push_back(one);
    }
    return judged;
}

}  // namespace holdfast::worker_test
