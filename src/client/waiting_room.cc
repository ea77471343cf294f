#include "client/waiting_room.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "client/operations.h"

namespace holdfast::client {

namespace {

/// A job with ten thousand steps causes as many notifications: looks that cost something take at most a tenth of the
/// time.
void rest_after(Duration look, Duration at_most) {
    constexpr Duration costs_nothing = std::chrono::milliseconds(1), longest = std::chrono::milliseconds(250);
    if (look > costs_nothing) std::this_thread::sleep_for(std::min({9 * look, longest, at_most}));
}

}  // namespace

// Bounds single waits, so that "for ever" needs no special case.
class WaitingRoom::Countdown {
public:
    explicit Countdown(std::optional<Duration> length) : length_(length) {}

    [[nodiscard]] bool over() const { return left() <= Duration::zero(); }
    [[nodiscard]] Duration left() const {
        constexpr Duration longest_nap = std::chrono::hours(1);
        if (!length_) return longest_nap;
        const auto passed = std::chrono::floor<Duration>(std::chrono::steady_clock::now() - began_);
        return std::min(*length_ - passed, longest_nap);
    }

private:
    std::optional<Duration> length_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

std::optional<store::TaskRecord> WaitingRoom::wait(const Uuid& task, std::optional<Duration> timeout) {
    return wait_until_ended([&] { return find_one(store_, task); }, timeout);
}

std::optional<JobInfo> WaitingRoom::wait_for_job(const Uuid& job, std::optional<Duration> timeout) {
    return wait_until_ended([&] { return find_one_job(store_, job); }, timeout);
}

template <typename Look>
auto WaitingRoom::wait_until_ended(const Look& look, std::optional<Duration> timeout)
    -> std::optional<decltype(look())> {
    const Countdown countdown(timeout);
    Lock lock(mutex_);
    if (!watch_) watch_ = store_.watch(store::Topic::Done);
    for (;;) {
        const std::uint64_t seen = news_;  // noted before looking, so that no end is missed
        lock.unlock();
        const auto began = std::chrono::steady_clock::now();
        auto record = look();
        if (is_terminal(record.state)) return record;
        if (countdown.over()) return std::nullopt;
        rest_after(std::chrono::floor<Duration>(std::chrono::steady_clock::now() - began), countdown.left());
        lock.lock();
        wait_for_news(lock, seen, countdown);
    }
}

void WaitingRoom::wait_for_news(Lock& lock, std::uint64_t seen, const Countdown& countdown) {
    while (news_ == seen && !countdown.over()) {
        if (is_watched_)
            turned_.wait_for(lock, countdown.left());
        else
            watch_for_all(lock, countdown.left());
    }
}

void WaitingRoom::watch_for_all(Lock& lock, Duration at_most) {
    const auto step_back = [&](bool news) {
        lock.lock();
        is_watched_ = false;
        if (news) ++news_;
        turned_.notify_all();  // another thread watches now
    };
    is_watched_ = true;
    lock.unlock();
    try {
        step_back(watch_->wait(at_most));
    } catch (const StoreError&) {
        step_back(true);  // the others look too, and get the store's error themselves
        throw;
    }
}

}  // namespace holdfast::client
