#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/task/verdict.h"
#include "engine/ports.h"
#include "store/worker_records.h"

namespace holdfast::engine {

/// What one process knows about all workers, counted on its own monotonic clock and by beat numbers, never by times
/// in the store. A gap between two looks, or another epoch of the store, restarts all counts: time in which the
/// observer could not see the store does not count against a worker (P6).
class Observer {
public:
    /// `longest_gap`: the longest time between two looks of one unbroken view.
    explicit Observer(Duration longest_gap) : longest_gap_(longest_gap) {}

    /// A look at the store succeeded. `sights` are of workers of this machine.
    void see(const store::LivenessView& view, const std::map<Uuid, Sight>& sights, Duration now);
    /// A look failed: all counts restart.
    void lose_sight() { has_view_ = false; }

    [[nodiscard]] bool knows(const Uuid& worker) const { return workers_.contains(worker); }
    /// All that is known about a worker of the last view.
    [[nodiscard]] core::WorkerSeen worker(const Uuid& id, Duration now) const;
    /// The same for a worker without a row that leases name. Its declared durations are those of its row when this
    /// observer last saw it; else the longest that a worker can declare.
    [[nodiscard]] core::WorkerSeen unregistered(const Uuid& id, Duration now) const;
    [[nodiscard]] Duration unbroken_view(Duration now) const {
        return has_view_ ? now - view_began_ : Duration::zero();
    }
    /// The evidence as a sentence, with its numbers: "silent for 16.2s".
    [[nodiscard]] std::string describe(const Uuid& id, Duration now) const;
    /// A worker with this boot id seemed gone from this machine and went on beating: a cloned machine. What this
    /// machine sees of such workers is not believed any more.
    [[nodiscard]] bool is_discredited(const std::string& boot_id) const { return discredited_.contains(boot_id); }

private:
    struct Known {
        store::WorkerLiveness last;
        Duration beat_seen_at{};  ///< when its beat number was first seen
        /// Its session's lock is free, or its stream to a server has ended, and it has not beaten since.
        std::optional<Duration> without_session_since;
        std::optional<Duration> sighted_at;             ///< when certain evidence was first seen,
        std::optional<std::int64_t> beat_when_sighted;  ///< and its beat number in the first view since
        Sight sight;
    };

    /// A worker without a row that leases name.
    struct Missing {
        Duration since{};
        Duration beat_interval{};
        Duration fence_after = core::longest_fence;
    };

    void note_missing(const std::vector<Uuid>& ids, const std::map<Uuid, Known>& before, bool is_broken,
                      Duration now);
    void note(Known& known, const store::WorkerLiveness& worker, const Sight& sight, Duration now);
    void note_beat(Known& known, std::int64_t beat, Duration now);
    void note_sight(Known& known, const Sight& sight, Duration now);
    [[nodiscard]] bool is_certain(const Known& known, Duration now) const;

    const Duration longest_gap_;
    bool has_view_ = false;
    std::string epoch_;
    Duration view_began_{};
    Duration looked_at_{};
    std::map<Uuid, Known> workers_;
    std::map<Uuid, Missing> missing_;
    std::set<std::string> discredited_;
};

/// How long one observer has seen runs with a timeout, on its own clock: the store's times include sleep, and jump.
class RunTimes {
public:
    /// Whether the run has lasted longer than its timeout and `margin`, as far as the unbroken view reaches (P6).
    /// False for a run whose cancel was requested: the cancel decides. To be called whenever the run is seen; the
    /// first call starts the count.
    bool is_out_of_time(const store::LeaseRecord& lease, Duration margin, Duration unbroken_view, Duration now) {
        if (!lease.started || !lease.policy.timeout) return false;
        const auto [since, is_new] = since_.try_emplace(lease.lease.lease, now);
        const Duration seen_for = std::min(now - since->second, unbroken_view);
        return !lease.cancel_requested && seen_for > *lease.policy.timeout + margin;
    }
    void forget_all_but(const std::set<store::Lease>& leases) {
        std::erase_if(since_, [&](const auto& each) { return !leases.contains(each.first); });
    }

private:
    std::map<store::Lease, Duration> since_;
};

}  // namespace holdfast::engine
