#include "proof/sim/sweep_loop.h"

#include <algorithm>

#include "base/text.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

namespace {

engine::SweepSettings settings_for(engine::SweepSettings settings, const std::optional<Uuid>& self) {
    settings.self = self;
    return settings;
}

}  // namespace

SweepLoop::SweepLoop(Process& process, store::RecoveryStore& store, const std::optional<Uuid>& self)
    : process_(process),
      store_(store),
      host_(process.world(), process.machine()),
      sweeper_(store, host_, process.dice(), concat(process.name(), "-sweep"),
               settings_for(process.world().plan.sweep, self), [&process] { return process.monotonic(); }) {}

void SweepLoop::start() {
    process_.spawn([this] { run(); });
}

void SweepLoop::run() {
    while (true) {
        try {
            sweep();
        } catch (const store::StoreError&) {
            // The next sweep, a second later, looks at everything again.
        }
        process_.sleep(std::chrono::seconds(1));
    }
}

engine::SweepReport SweepLoop::run_sweeper() {
    Witness& witness = process_.world().witness;
    witness.sweep_begins(process_);
    try {
        engine::SweepReport report = sweeper_.run_once(process_.monotonic());
        const bool did_all = std::ranges::all_of(
            report.passes, [](const auto& pass) { return pass.failure.empty() && pass.report.skipped == 0; });
        if (did_all) witness.swept(process_, report.holds_lease);
        return report;
    } catch (const store::Unavailable&) {
        witness.lost_sight(process_);
        throw;
    }
}

void SweepLoop::sweep() {
    for (const engine::ServicePass& pass : run_sweeper().passes) {
        if (pass.report.is_empty() && pass.failure.empty()) continue;
        store_.note_sweep(
            {.service = pass.service, .who = process_.name(), .at = {}, .did = "{}", .failure = pass.failure});
    }
}

}  // namespace holdfast::sim
