#include "base/text.h"
#include "proof/sim/process.h"
#include "proof/sim/witness.h"
#include "proof/sim/world.h"

// Recovery needs no leader (P9): every sweeper acts on certain evidence, the holder of the row on the rest. The row
// passes on when it is not renewed, and a verdict is carried out once, however many processes sweep.

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

constexpr Duration row_lapses_after = 2 * Duration(3s);  // doubled, for clocks that were set back a little
constexpr Duration put_aside_for = 5min;

}  // namespace

void Witness::sweep_begins(Process& process) {
    SweepSight& sight = sweeps_[key_of(process)];
    sight.began = world_.timeline.now();
    sight.began_on_its_clock = process.monotonic();
}

void Witness::swept(Process& process, bool holds_row) {
    if (!reader_.open(world_.disk)) return;
    check_certain_evidence(process);
    if (holds_row) schedules.swept(process);
}

/// A row that is not renewed is refused to other sweepers only until it lapses, whatever the clock of its holder said
/// when it was written.
void Witness::asked_for_sweep_row(Process& process, bool held) {
    if (world_.disk.power_cuts > world_.power_cuts_seen || !reader_.open(world_.disk)) return;
    SweepSight& sight = sweeps_[key_of(process)];
    const SweepRowSight row = reader_.sweep_row();
    const Duration now = world_.timeline.now();
    const bool is_same = row == sight.refused_for && world_.wall_jumps == sight.refused_at_jumps;
    if (held || !is_same) {
        sight.refused_for = held ? SweepRowSight{} : row;
        sight.refused_since = now;
        sight.refused_at_jumps = world_.wall_jumps;
        return;
    }
    if (now - sight.refused_since > row_lapses_after)
        complain("P9", concat(process.name(), " is refused the row of sweeping for ",
                              format_duration(now - sight.refused_since), ", and ", row.holder,
                              " has not renewed it since"));
}

void Witness::check_recovered_once(Process& process, const Change& change) {
    for (const auto& [task, end] : change.ends) {
        if (!end.said_applied) continue;
        const auto [first, is_first] = recovered_by_.try_emplace(end.lease, process.name());
        if (!is_first)
            complain("P9", concat(process.name(), " recovered ", world_.ledger.name_of(task), "#", end.lease,
                                  ", which ", first->second, " had recovered"));
    }
}

/// A sweep that came to its end has left no lease to a worker whose death its machine shows for certain.
void Witness::check_certain_evidence(Process& process) {
    if (put_aside_lately(process)) return;
    if (sweep_began(process) <= went_back_at_) return;  // leases came back meanwhile
    for (const auto& [task, lease] : picture_) {
        const auto owner = world_.workers.find(lease.worker);
        if (owner == world_.workers.end() || !must_have_seen(process, owner->second)) continue;
        if (!reader_.has_beaten(lease.worker)) continue;  // it may be starting: its lock proves nothing yet
        complain("P9", concat(process.name(), " has swept, and has left ", world_.ledger.name_of(task), "#",
                              lease.lease.lease, " to ", owner->second.process, ", which was gone before"));
    }
}

/// The kernel's lock is enough evidence; the process table needs the silence of two beats as well.
bool Witness::must_have_seen(Process& process, const TrueWorker& worker) const {
    if (worker.machine != process.machine().number || !worker.gone_since) return false;
    if (*worker.gone_since >= sweeps_.at(key_of(process)).began_on_its_clock) return false;
    if (world_.plan.one_machine) return true;
    const auto looks = unbroken_looks(process);
    if (looks.size() < 2) return false;
    const Duration longest_gap = world_.plan.sweep.thresholds.worker_stale / 3;
    // An answer may be as old as a gap, the first one older: the last beat is news to the look after it.
    Duration counts_from = std::max(looks[1], *worker.gone_since + 2 * longest_gap);
    // Beats of another history are news, too.
    if (history_changed_at_) {
        const Duration changed_at = process.monotonic() - (world_.timeline.now() - *history_changed_at_);
        counts_from = std::max(counts_from, changed_at + 2 * longest_gap);
    }
    return looks.back() - counts_from > 2 * world_.plan.beat_interval;
}

/// A verdict that could not be written is not tried again for a while.
bool Witness::put_aside_lately(Process& process) const {
    const auto& failed = sweeps_.at(key_of(process)).failed_to_recover;
    return failed && process.monotonic() - *failed <= put_aside_for + 1min;
}

}  // namespace holdfast::sim
