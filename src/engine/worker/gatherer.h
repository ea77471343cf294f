#pragma once

#include <algorithm>
#include <chrono>

#include "engine/worker/run_book.h"

namespace holdfast::engine {

/// Decides whether the ends of runs wait for the ends of others, so that one turn reports all of them. They wait only
/// while runs are so short that the others are about to end: never longer than twice the usual duration of a run, and
/// not when there are enough of them.
class Gatherer {
public:
    /// Longer runs are not waited for.
    static constexpr Duration longest_usual = std::chrono::milliseconds(1);
    /// At least so many ends are enough; of a large worker, half of its runs.
    static constexpr std::size_t small_batch = 16;

    /// Half of the runs last longer than `usual_`: a few long ones among many short ones do not count.
    void run_ended(Duration lasted) {
        const Duration step = std::max(usual_ / 16, Duration(1));
        usual_ = lasted > usual_ ? usual_ + step : std::max(usual_ - step, Duration::zero());
    }

    /// Until when the ends in the book wait; zero: they do not.
    [[nodiscard]] Duration wait_until(const RunBook& book, std::size_t capacity) const {
        const std::size_t ended = book.count(RunStage::Ended);
        const auto& running = book.in(RunStage::Running);
        const bool is_enough = ended == 0 || ended >= std::max(small_batch, capacity / 2);
        if (usual_ > longest_usual || is_enough || running.empty()) return Duration::zero();
        return book.runs().at(*running.rbegin()).since + 2 * usual_;
    }

private:
    Duration usual_ = std::chrono::seconds(1);  // how long runs lasted lately; the first ones are not waited for
};

}  // namespace holdfast::engine
