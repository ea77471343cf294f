#include <algorithm>

#include "engine/log_lines.h"
#include "engine/worker/outcomes.h"
#include "engine/worker/worker.h"

namespace holdfast::engine {

namespace {

std::int64_t rank_in(const StoreAnswer& answer) {
    if (const auto* registered = std::get_if<store::RegisterAnswer>(&answer)) return registered->rank;
    if (const auto* beat = std::get_if<store::BeatAnswer>(&answer)) return beat->rank;
    return 0;
}

}  // namespace

/// It is from a history that the store has left: from a former primary that came back.
bool Worker::is_outdated(const StoreAnswer& answer) const {
    const std::int64_t rank = rank_in(answer);
    return 0 < rank && rank < rank_;
}

/// Takes note of the rank that the store answered with. Returns true when the store has rolled over since the last
/// answer. Then it may have lost what it acknowledged last: the outcomes of the last minute are delivered again, and
/// tasks that were claimed may be claimable again.
bool Worker::meet(std::int64_t rank) {
    if (rank <= rank_) return false;
    const std::int64_t before = std::exchange(rank_, rank);
    if (before == 0) return false;
    say(log_lines::gone_back(before, rank, delivered_.deliver_all_again()));
    claimer_.work_arrived();
    return true;
}

core::Witness Worker::highest_lease() const {
    return {.rank = core::rank_of(highest_lease_), .number = highest_lease_};
}

/// Leases that this worker does not hold: the answer to the claim was lost for good, or the store has gone back to a
/// time before their end. An outcome that is still known is delivered again. Of the others those that this
/// worker has begun are finished, whatever the store knows about their start, and the rest is handed back.
void Worker::note_unlisted(const std::vector<store::TaskLease>& unlisted) {
    for (const store::TaskLease& lease : unlisted) {
        const bool noted = std::ranges::count(orphans_, lease) + std::ranges::count(started_orphans_, lease) > 0;
        if (noted || book_.find(lease) != nullptr || delivered_.deliver_again(lease)) continue;
        say(log_lines::orphan(lease));
        (begun_.has_begun(lease.lease) ? started_orphans_ : orphans_).push_back(lease);
    }
}

store::FinishedRun Worker::outcome_of_started_orphan(const store::TaskLease& lease) const {
    return begun_.may_have_run(lease.lease) ? outcome_of_orphan(lease) : outcome_of_unbegun(lease);
}

void Worker::say_delivered_again() {
    if (const auto counts = delivered_.take_counts()) say(log_lines::delivered_again(*counts));
}

}  // namespace holdfast::engine
