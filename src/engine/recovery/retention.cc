#include "engine/recovery/retention.h"

#include <algorithm>
#include <utility>

namespace holdfast::engine {

namespace {

constexpr Duration every = std::chrono::hours(1);
constexpr Duration every_in_doubt = std::chrono::minutes(1);
constexpr int batches_at_once = 5;

std::size_t count_of(const store::PruneAnswer& pruned) {
    return static_cast<std::size_t>(pruned.heartbeats + pruned.worker_states + pruned.tasks + pruned.jobs +
                                    pruned.workers + pruned.orders);
}

}  // namespace

RecoveryReport Retention::run_once(Duration now) {
    RecoveryReport report;
    if (next_at_ && now < *next_at_) return report;
    store::PruneAnswer pruned = prune(watched(now));
    const bool was_in_doubt = std::exchange(is_in_doubt_, !pruned.doubt.empty());
    if (is_in_doubt_) {
        if (!was_in_doubt) report.remarks.push_back("Retention: " + pruned.doubt);
        next_at_ = now + every_in_doubt;
        return report;
    }
    report.pruned = count_of(pruned);
    for (int batch = 1; pruned.more && batch < batches_at_once; ++batch) {
        pruned = prune(Duration::zero());
        report.pruned += count_of(pruned);
    }
    if (!pruned.more) next_at_ = now + every;
    return report;
}

store::PruneAnswer Retention::prune(Duration watched) {
    return store_.prune({.heartbeats_older_than = settings_.heartbeats,
                         .worker_states_older_than = settings_.worker_states,
                         .terminal_older_than = settings_.terminal,
                         .orders_older_than = settings_.orders,
                         .watched = watched});
}

/// The time in which another process swept does not count: that process watched the clock then.
Duration Retention::watched(Duration now) {
    const auto before = std::exchange(looked_at_, now);
    return before ? std::min(now - *before, 2 * every_in_doubt) : Duration::zero();
}

}  // namespace holdfast::engine
