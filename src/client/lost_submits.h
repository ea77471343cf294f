#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "holdfast/client.h"
#include "store/store.h"

namespace holdfast::client {

/// One sentence for people.
[[nodiscard]] std::string sentence_about(const LostSubmits& lost);

/// What this process has submitted in the last minute. When the store has gone back in time, it looks which of these
/// tasks and jobs are gone, writes an event and tells. One for all the stores that a process opens on one URL.
/// Thread-safe.
class SubmitMemory {
public:
    using Tell = std::function<void(const LostSubmits&)>;
    using MonotonicTime = std::chrono::steady_clock::time_point;

    static constexpr Duration kept_for = std::chrono::seconds(60);
    static constexpr std::size_t most_kept = 100'000;

    /// `who` appears in the event; `tell` may be empty.
    SubmitMemory(std::string who, Tell tell) : who_(std::move(who)), tell_(std::move(tell)) {}

    enum class Kind { Task, Job };
    /// `history`: of the store before the submit.
    void note(Kind kind, const Uuid& id, std::int64_t history, MonotonicTime now = std::chrono::steady_clock::now());
    /// To be called after each call to the store. It asks the store only when its history has grown. While the store
    /// does not answer, the question stays open until the next call.
    void check(store::Store& store, MonotonicTime now = std::chrono::steady_clock::now()) noexcept;

private:
    struct Submit {
        Kind kind;
        Uuid id;
        std::int64_t history;  ///< the one that accepted it, or has been seen to contain it
        MonotonicTime at;
    };

    void forget_old(MonotonicTime now);
    /// Those of earlier histories that the store does not know.
    [[nodiscard]] LostSubmits find_lost(store::Store& store, std::int64_t history) const;

    const std::string who_;
    const Tell tell_;
    /// Every submit is of this history or a later one.
    std::atomic<std::int64_t> lowest_history_ = std::numeric_limits<std::int64_t>::max();
    std::mutex mutex_;
    std::deque<Submit> submits_;
};

/// The store, with every submit noted in the memory and every call followed by a check of it.
[[nodiscard]] std::unique_ptr<store::Store> remembering(std::unique_ptr<store::Store> store,
                                                        std::shared_ptr<SubmitMemory> memory);

}  // namespace holdfast::client
