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

/// What this process has submitted lately. When the store has gone back in time, it looks which of these tasks and
/// jobs are gone, writes an event and tells. During an outage nothing is forgotten: it may end with a store that has
/// lost what came shortly before. One for all the stores that a process opens on one URL. Thread-safe.
class SubmitMemory {
public:
    using Tell = std::function<void(const LostSubmits&)>;
    using MonotonicTime = std::chrono::steady_clock::time_point;

    /// Before the newest submit.
    static constexpr Duration kept_for = std::chrono::seconds(60);
    /// Less than any retention: what is older may be gone because it was removed.
    static constexpr Duration kept_at_most = std::chrono::minutes(50);
    static constexpr std::size_t most_kept = 100'000;

    /// `who` appears in the event; `tell` may be empty.
    SubmitMemory(std::string who, Tell tell) : who_(std::move(who)), tell_(std::move(tell)) {}

    enum class Kind { Task, Job };
    /// `history`: of the store before the submit.
    void note(Kind kind, const Uuid& id, std::int64_t history, MonotonicTime now = std::chrono::steady_clock::now());
    /// To be called after each call to the store. It asks the store only when its history has grown. While the store
    /// does not answer, the question stays open until the next call.
    void check(store::Store& store, MonotonicTime now = std::chrono::steady_clock::now());

private:
    struct Submit {
        Kind kind;
        Uuid id;
        std::int64_t history;  ///< the one that accepted it, or has been seen to contain it
        MonotonicTime at;
    };

    void forget_before(MonotonicTime oldest);
    /// Those of earlier histories that the store does not know.
    [[nodiscard]] LostSubmits find_lost(store::Store& store, std::int64_t history) const;

    const std::string who_;
    const Tell tell_;
    /// Every submit is of this history or a later one.
    std::atomic<std::int64_t> lowest_history_ = std::numeric_limits<std::int64_t>::max();
    std::mutex mutex_;
    std::deque<Submit> submits_;
    bool is_asking_ = false;  ///< history has grown, and the store has not yet said what it has lost
};

/// The store, with every submit noted in the memory and every call followed by a check of it.
[[nodiscard]] std::unique_ptr<store::Store> remembering(std::unique_ptr<store::Store> store,
                                                        std::shared_ptr<SubmitMemory> memory);

}  // namespace holdfast::client
