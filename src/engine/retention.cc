#include "engine/retention.h"

namespace holdfast::engine {

namespace {

constexpr Duration every = std::chrono::hours(1);
constexpr int batches_at_once = 5;

}  // namespace

RecoveryReport Retention::run_once(Duration now) {
    RecoveryReport report;
    if (next_at_ && now < *next_at_) return report;
    bool more = true;
    for (int batch = 0; more && batch < batches_at_once; ++batch) {
        const store::PruneAnswer pruned = store_.prune({.heartbeats_older_than = settings_.heartbeats,
                                                        .worker_states_older_than = settings_.worker_states,
                                                        .terminal_older_than = settings_.terminal});
        report.pruned += static_cast<std::size_t>(pruned.heartbeats + pruned.worker_states + pruned.tasks +
                                                  pruned.jobs + pruned.workers);
        more = pruned.more;
    }
    if (!more) next_at_ = now + every;
    return report;
}

}  // namespace holdfast::engine
