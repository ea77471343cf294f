#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "store/client_store.h"

namespace holdfast::client {

/// Lets any number of threads wait for tasks to end with a single Watch: one of them watches, and wakes the others
/// when there may be news. Thread-safe; the store must outlive it.
class WaitingRoom {
public:
    explicit WaitingRoom(store::ClientStore& store) : store_(store) {}

    /// The task once it has ended, or nullopt after `timeout` (unset: never). Throws UnknownTask, and what the store
    /// throws.
    [[nodiscard]] std::optional<store::TaskRecord> wait(const Uuid& task, std::optional<Duration> timeout);
    /// The same for a job; throws UnknownJob.
    [[nodiscard]] std::optional<JobInfo> wait_for_job(const Uuid& job, std::optional<Duration> timeout);

private:
    using Lock = std::unique_lock<std::mutex>;
    class Countdown;

    /// What `look` gives once it is in a terminal state.
    template <typename Look>
    auto wait_until_ended(const Look& look, std::optional<Duration> timeout) -> std::optional<decltype(look())>;
    /// Returns when there may be news since `seen`, or the time is up.
    void wait_for_news(Lock& lock, std::uint64_t seen, const Countdown& countdown);
    void watch_for_all(Lock& lock, Duration at_most);

    store::ClientStore& store_;
    std::mutex mutex_;
    std::condition_variable turned_;
    std::unique_ptr<store::Watch> watch_;  // created by the first thread that waits
    bool is_watched_ = false;
    std::uint64_t news_ = 0;  // grows whenever there may be news
};

}  // namespace holdfast::client
