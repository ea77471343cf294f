#include "engine/recovery/sweeper.h"

namespace holdfast::engine {

namespace {

constexpr Duration lease_expiry = std::chrono::seconds(3);
constexpr Duration renew_every = std::chrono::seconds(1);
constexpr Duration aside_for_others = 2 * lease_expiry;  // other sweepers ask every second
constexpr std::size_t expire_at_once = 1000;

}  // namespace

Sweeper::Sweeper(store::RecoveryStore& store, HostWatch& host, Random& random, std::string who,
                 const SweepSettings& settings, Stopwatch stopwatch)
    : store_(store),
      who_(std::move(who)),
      settings_(settings),
      stopwatch_(std::move(stopwatch)),
      observer_(settings.thresholds.worker_stale / 3),
      verdict_writer_(store, who_, random),
      liveness_(store, host, verdict_writer_, observer_, run_times_, settings.thresholds, stopwatch_, settings.self),
      stale_leases_(store, verdict_writer_, observer_, run_times_, settings.thresholds),
      unmatched_(store, observer_, who_,
                 {.grace = settings.unmatched_grace, .steps = settings.unmatched_steps, .self = settings.self}),
      job_timers_(store, who_),
      job_repair_(store, who_),
      scheduler_(store, settings.zones, who_),
      retention_(store, settings.retention) {}

SweepReport Sweeper::run_once(Duration now) {
    SweepReport report;
    try {
        if (now >= renew_at_) {
            holds_lease_ = store_.sweep_lease(who_, lease_expiry).held;
            renew_at_ = now + renew_every;
        }
        report.holds_lease = holds_lease_;
        pass(report, "liveness", [&] { return liveness_.run_once(holds_lease_); });
        if (holds_lease_) run_services(report, now);
        if (liveness_.has_lost_itself()) step_aside(now);
    } catch (const store::Unavailable&) {
        observer_.lose_sight();
        throw;
    }
    return report;
}

SweepReport Sweeper::run_all(Duration now) {
    SweepReport report{.holds_lease = true, .passes = {}};
    pass(report, "liveness", [&] { return liveness_.run_once(true); });
    check_at_ = now;
    run_services(report, now);
    return report;
}

void Sweeper::give_up() {
    if (holds_lease_) store_.sweep_lease(who_, Duration::zero());
    holds_lease_ = false;
}

/// No process judges its own worker, so another one must be able to sweep.
void Sweeper::step_aside(Duration now) {
    if (!holds_lease_) return;
    give_up();
    renew_at_ = now + aside_for_others;
}

void Sweeper::run_services(SweepReport& report, Duration now) {
    pass(report, "deadlines", [&] {
        RecoveryReport expired;
        expired.expired = store_.expire_overdue(expire_at_once);
        return expired;
    });
    pass(report, "job timers", [&] { return job_timers_.run_once(); });
    pass(report, "schedules", [&] { return scheduler_.run_once(); });
    pass(report, "retention", [&] { return retention_.run_once(now); });
    if (now < check_at_) return;
    check_at_ = now + settings_.check_interval;
    pass(report, "stale leases", [&] { return stale_leases_.run_once(now); });
    pass(report, "unmatched", [&] { return unmatched_.run_once(now); });
    pass(report, "job repair", [&] { return job_repair_.run_once(); });
}

void Sweeper::pass(SweepReport& report, const std::string& service, const std::function<RecoveryReport()>& work) {
    ServicePass& pass = report.passes.emplace_back();
    pass.service = service;
    const Duration began = stopwatch_();
    pass.failure = fault_of([&] { pass.report = work(); }).value_or("");
    pass.took = stopwatch_() - began;
}

}  // namespace holdfast::engine
