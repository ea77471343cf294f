#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "holdfast/time.h"

namespace holdfast::store {

/// A moment by which something has to have happened; without one it may take any time.
class Deadline {
public:
    Deadline() = default;  ///< none
    [[nodiscard]] static Deadline in(std::optional<Duration> duration) {
        return duration ? Deadline(std::chrono::steady_clock::now() + *duration, *duration) : Deadline();
    }
    [[nodiscard]] static Deadline earlier(const Deadline& one, const Deadline& other) {
        if (!one.at_ || !other.at_) return one.at_ ? one : other;
        return *one.at_ < *other.at_ ? one : other;
    }

    [[nodiscard]] bool has_passed() const { return at_ && std::chrono::steady_clock::now() >= *at_; }
    [[nodiscard]] const std::optional<std::chrono::steady_clock::time_point>& at() const { return at_; }
    /// How long until then, at most `longest`; never negative.
    [[nodiscard]] Duration left(Duration longest) const {
        if (!at_) return longest;
        const auto left = std::chrono::ceil<Duration>(*at_ - std::chrono::steady_clock::now());
        return std::clamp(left, Duration::zero(), longest);
    }
    /// How long it was when it began; nullopt: there is none.
    [[nodiscard]] std::optional<Duration> patience() const { return patience_; }

private:
    Deadline(std::chrono::steady_clock::time_point at, Duration patience) : at_(at), patience_(patience) {}

    std::optional<std::chrono::steady_clock::time_point> at_;
    std::optional<Duration> patience_;
};

}  // namespace holdfast::store
