#pragma once

#include <optional>
#include <string>

#include "base/log.h"
#include "holdfast/time.h"

namespace holdfast::engine {

/// Whether the store answers a worker, and what the worker says about it: one line when an outage begins, one every
/// 30 s while calls fail, and one when it ends. A call that is still under way after 5 s begins an outage as well;
/// the line about it does not replace the one about a failed call, which may name the cause.
class Outage {
public:
    /// A call has failed and is tried again after `wait`.
    [[nodiscard]] std::optional<LogLine> failed(const std::string& why, Duration wait, Duration now);
    /// A call was answered. `oldest`: when the longest of the other calls under way was made.
    [[nodiscard]] std::optional<LogLine> answered(std::optional<Duration> oldest, Duration now);
    /// To be called at due_at(). `oldest`: when the longest call under way was made.
    [[nodiscard]] std::optional<LogLine> look(std::optional<Duration> oldest, Duration now);
    [[nodiscard]] Duration due_at(std::optional<Duration> oldest) const;

    /// The last call has failed.
    [[nodiscard]] bool is_away() const { return away_since_.has_value(); }

private:
    std::optional<Duration> away_since_;    // the first failed call since the store last answered
    std::optional<Duration> silent_since_;  // when the call was made that has been reported
    Duration say_away_at_{};
};

}  // namespace holdfast::engine
