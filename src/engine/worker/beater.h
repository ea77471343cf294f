#pragma once

#include <optional>

#include "engine/worker/run_book.h"
#include "engine/worker/worker_settings.h"

namespace holdfast::engine {

/// Decides when to beat, and the content of the beat. The fence's deadline counts from the moment the last
/// acknowledged beat was sent.
class Beater {
public:
    explicit Beater(const WorkerSettings& settings) : settings_(settings) {}

    /// The beat to send now, if one is due.
    [[nodiscard]] std::optional<store::BeatParams> next(const RunBook& book, store::WorkerStatus status,
                                                        Duration now);
    void acknowledged(RunBook& book, const store::BeatAnswer& answer);
    void failed(Duration try_again_at) { next_at_ = try_again_at; }
    void beat_soon(Duration now) { next_at_ = std::min(next_at_, now); }
    /// Soon, but at most every 50 ms, however often the store notifies.
    void beat_for_orders(Duration now);
    /// The row may have been made anew, and its beats count from 0 again.
    void registered(Duration sent_at, std::int64_t rank) {
        last_acknowledged_ = sent_at;
        witness_ = {.rank = rank, .number = 0};
    }

    [[nodiscard]] Duration next_at() const { return next_at_; }
    /// When the last beat that was acknowledged was sent.
    [[nodiscard]] Duration last_acknowledged() const { return last_acknowledged_; }

private:
    [[nodiscard]] bool keeps_history(const RunBook& book, Duration now);

    const WorkerSettings& settings_;
    Duration next_at_{};
    Duration sent_at_{};
    Duration last_acknowledged_{};
    core::Witness witness_;  // the last acknowledged beat
    std::vector<store::Lease> sent_leases_;
    std::optional<Duration> claimer_history_at_;
    std::optional<Duration> runner_history_at_;
    std::vector<std::pair<store::Lease, store::ProgressReport>> sent_progress_;
};

}  // namespace holdfast::engine
