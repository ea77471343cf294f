#pragma once

#include <chrono>
#include <optional>

#include "holdfast/time.h"

namespace holdfast::sqlite {

/// Until when a call may wait for its turn, wait for the locks of other programs, and work. One deadline covers them
/// all. Without one it may take any time.
class Deadline {
public:
    Deadline() = default;  ///< none
    [[nodiscard]] static Deadline in(std::optional<Duration> duration) {
        Deadline deadline;
        deadline.patience_ = duration;
        if (duration) deadline.at_ = std::chrono::steady_clock::now() + *duration;
        return deadline;
    }

    [[nodiscard]] bool has_passed() const { return at_ && std::chrono::steady_clock::now() >= *at_; }
    [[nodiscard]] const std::optional<std::chrono::steady_clock::time_point>& at() const { return at_; }
    /// How long it was when it began; nullopt: there is none.
    [[nodiscard]] std::optional<Duration> patience() const { return patience_; }

private:
    std::optional<Duration> patience_;
    std::optional<std::chrono::steady_clock::time_point> at_;
};

/// How long the calls of a lane may take.
inline constexpr Duration beats_patience = std::chrono::seconds(2);
inline constexpr Duration work_patience = std::chrono::seconds(10);

}  // namespace holdfast::sqlite
