#pragma once

#include <atomic>

#include "base/clock.h"

namespace holdfast::contract {

/// The injected clock: stands still unless a test moves it. Safe to read and move from any thread.
class FakeClock final : public Clock {
public:
    static constexpr Timestamp beginning{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) +
                                         std::chrono::hours(12)};

    FakeClock() = default;
    explicit FakeClock(Timestamp now) : microseconds_(now.time_since_epoch().count()) {}

    [[nodiscard]] Timestamp now() const override { return Timestamp(Duration(microseconds_.load())); }
    void advance(Duration by) { microseconds_ += by.count(); }

private:
    std::atomic<Duration::rep> microseconds_{beginning.time_since_epoch().count()};
};

}  // namespace holdfast::contract
