#include <utility>

#include "base/text.h"
#include "proof/sim/world.h"
#include "store/sqlite/sqlite_store.h"

// A store that carries out calls after they were given up, and one that goes back in time.

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// Less than outcomes and submits are remembered.
constexpr Duration oldest_image = 40s;

Disk::Restore way_of(Fault fault) {
    if (fault == Fault::FileReplaced) return Disk::Restore::Replaced;
    return fault == Fault::DiskGoesBack ? Disk::Restore::InPlace : Disk::Restore::FailOver;
}

}  // namespace

void World::carry_out_late(LateCall call, Duration wait) {
    timeline.after(wait, [this, call = std::move(call), history = histories, cuts = disk.power_cuts] {
        if (history == histories && cuts == disk.power_cuts) carry_out(call);
    });
}

/// By a connection of its own: that of the caller is closed.
void World::carry_out(const LateCall& call) {
    const auto client = std::make_shared<DiskClient>();
    const WallClock clock(*this, Duration::zero());
    const OpeningFor opening(client);
    trace.line(timeline.now(), "database",
               concat("carries out ", call.change.verb, "(", call.change.detail, ") late"));
    try {
        const auto store = sqlite::open_store({.path = database, .limits = limits(), .has_deadlines = false}, clock);
        call.effect(*store);
    } catch (const store::StoreError& refused) {
        trace.line(timeline.now(), "database", concat("refuses it: ", refused.what()));
    }
    witness.came_late(call);
    if (call.change.brings_work) ring();
    if (call.change.gives_orders) ring_for_orders();
}

void World::plan_going_back(Fault fault, Dice& of_fault) {
    if (!witness.can_go_back()) return;
    const Duration age = of_fault.logarithmic(100ms, oldest_image);
    timeline.after(age, [this, fault, age, image = disk.image(), history = histories, rank = witness.rank()] {
        // Processes refuse a place that they know with a lower rank: they would have to be restarted.
        const bool is_refused = fault == Fault::DiskGoesBack && rank != witness.rank();
        if (is_calm || history != histories || is_refused) return;
        faults.happened(fault);
        go_back(fault, image, age);
    });
}

void World::about_to(const Change& change) {
    if (change.starts.empty() || !goes_back_before_start_) return;
    Dice of_fault = *std::exchange(goes_back_before_start_, std::nullopt);
    plan_going_back(Fault::StartGoesBack, of_fault);
}

void World::go_back(Fault fault, const DiskImage& image, Duration age) {
    witness.look_at_everything("before the store goes back");
    trace.line(timeline.now(), "database", concat("goes back by ", format_duration(age), ": ", to_text(fault)));
    ++histories;
    keeps_connections = fault == Fault::FileReplaced;
    disk.restore(image, way_of(fault));
    witness.went_back(fault == Fault::DiskGoesBack);
}

}  // namespace holdfast::sim
