#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "store/worker_store.h"

namespace holdfast::engine {

/// The outcomes that the store has acknowledged lately. A store that has gone back in time may have lost them, so
/// they are then delivered again. At most 10,000 outcomes and 64 MiB are kept; the oldest are forgotten first.
class Delivered {
public:
    static constexpr Duration kept_for = std::chrono::seconds(60);
    static constexpr std::size_t most_outcomes = 10'000;
    static constexpr std::size_t most_bytes = 64 << 20;
    /// Of one batch.
    static constexpr std::size_t batch_outcomes = 200;
    static constexpr std::size_t batch_bytes = 4 << 20;

    /// What became of the outcomes that were delivered again.
    struct Counts {
        std::size_t applied = 0;  ///< the store had lost them, and has them again
        std::size_t already = 0;  ///< the store still had them
        std::size_t lost = 0;     ///< the store does not know their leases any more
    };

    /// The store has acknowledged the outcome.
    void add(store::FinishedRun outcome, Duration now);
    /// Forgets what was acknowledged earlier than kept_for before `intact`, when the store had certainly not gone
    /// back. During an outage nothing is forgotten: it may end with a store that has lost what came shortly before.
    void forget_old(Duration intact);

    /// Makes everything due again. Returns how many outcomes that are.
    std::size_t deliver_all_again();
    /// Makes the outcome of this lease due again. Returns false when it is not kept here.
    bool deliver_again(const store::TaskLease& lease);
    [[nodiscard]] bool has_due() const { return !due_.empty(); }
    /// The next outcomes to deliver again, in the order of their leases. They stay due until they are answered.
    [[nodiscard]] std::vector<store::FinishedRun> next_batch() const;
    void answered(const store::TaskLease& lease, store::Fenced fenced, Duration now);
    /// The counts since the last call, once nothing is due any more; nullopt: nothing was delivered again.
    [[nodiscard]] std::optional<Counts> take_counts();

private:
    struct Kept {
        store::FinishedRun outcome;
        Duration at{};  ///< when it was acknowledged
    };

    void make_due(store::FinishedRun outcome);

    std::deque<Kept> kept_;  // the oldest first
    std::map<store::Lease, store::FinishedRun> due_;
    std::size_t bytes_ = 0;  // of both
    std::optional<Counts> counts_;
};

}  // namespace holdfast::engine
