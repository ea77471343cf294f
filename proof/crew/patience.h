#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace holdfast::crew {

/// How long to wait for an event that must come. It measures no speed: it only keeps a broken run from hanging.
inline constexpr std::chrono::seconds patience(120);

/// When to stop waiting for one event.
class Deadline {
public:
    explicit Deadline(std::string what) : what_(std::move(what)) {}

    /// Throws std::runtime_error once the time is up.
    [[nodiscard]] int milliseconds_left() const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - std::chrono::steady_clock::now());
        if (left.count() <= 0) throw std::runtime_error("waited in vain for " + what_);
        return static_cast<int>(left.count());
    }

private:
    std::string what_;
    std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now() + patience;
};

/// Polls, for conditions that send no event. Throws std::runtime_error once the time is up.
template <typename Predicate>
void wait_until(const Predicate& holds, const std::string& what) {
    const Deadline deadline(what);
    while (!holds()) {
        (void)deadline.milliseconds_left();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

}  // namespace holdfast::crew
