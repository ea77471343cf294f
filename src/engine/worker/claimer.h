#pragma once

#include <optional>

#include "base/random.h"
#include "engine/worker/run_book.h"
#include "engine/worker/worker_settings.h"

namespace holdfast::engine {

/// Measures how fast runs end, over the last tenths of a second.
class Pace {
public:
    void run_ended(Duration now);
    /// How many runs are likely to end within `span`.
    [[nodiscard]] std::size_t ends_within(Duration span, Duration now);

private:
    void roll(Duration now);

    Duration window_began_{};
    std::size_t ended_in_window_ = 0;
    double per_second_ = 0;
};

/// Decides when to claim, and how much: for every idle runner, and, while runs end fast and claims have a connection
/// of their own, a little ahead. An unanswered claim is repeated unchanged until it is answered, because its leases
/// may already be this worker's.
class Claimer {
public:
    Claimer(const WorkerSettings& settings, Random& random) : settings_(settings), random_(random) {}

    /// Something may have become claimable.
    void work_arrived();
    /// The turn that the next claim is a part of reports ends of runs. What they bring in reach, such as the next
    /// step of a job or a task behind a key, can be claimed in the same turn, before anybody is told of it.
    void ends_are_reported() { may_start_more_ = true; }
    void run_ended(Duration now) { pace_.run_ended(now); }

    /// The claim to make now, if any, as a turn without lists. `may_claim`: whether a new one is allowed; one in
    /// doubt is repeated in any case.
    [[nodiscard]] std::optional<store::TurnParams> next(const RunBook& book, bool may_claim, Duration now);
    void answered(const store::ClaimAnswer& answer, Duration now);
    /// It was not done, and cannot be any more: the next one is another.
    void put_off() { unanswered_.reset(); }

    [[nodiscard]] bool is_unanswered() const { return unanswered_.has_value(); }
    /// Idle runners that the unanswered claim is for.
    [[nodiscard]] std::size_t reserved() const { return unanswered_ ? unanswered_->to_start : 0; }
    /// When the next known task falls due.
    [[nodiscard]] std::optional<Duration> due_at() const { return due_at_; }

private:
    [[nodiscard]] std::size_t wanted_ahead(const RunBook& book, Duration now);

    const WorkerSettings& settings_;
    Random& random_;
    Pace pace_;
    std::optional<store::TurnParams> unanswered_;
    bool may_start_more_ = true;  // there may be tasks for idle runners,
    bool may_hold_more_ = true;   // and tasks to claim ahead
    bool arrived_meanwhile_ = false;
    std::optional<Duration> due_at_;
};

}  // namespace holdfast::engine
