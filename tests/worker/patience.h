#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace holdfast::worker_test {

/// How long a test waits for what must come. No measure of speed: it only keeps a broken test from hanging.
inline constexpr std::chrono::seconds patience(60);

/// The end of patience with one thing.
class Deadline {
public:
    explicit Deadline(std::string what) : what_(std::move(what)) {}

    /// Throws when patience is at its end.
    [[nodiscard]] int milliseconds_left() const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - std::chrono::steady_clock::now());
        if (left.count() <= 0) throw std::runtime_error("waited in vain for " + what_);
        return static_cast<int>(left.count());
    }

private:
    std::string what_;
    std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now() + patience;
};

/// Looks again and again, for what nobody tells of when it happens.
template <typename Predicate>
void wait_until(const Predicate& holds, const std::string& what) {
    const Deadline deadline(what);
    while (!holds()) {
        (void)deadline.milliseconds_left();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

}  // namespace holdfast::worker_test
