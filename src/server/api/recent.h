#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "store/store.h"

namespace holdfast::api {

/// A short-lived cache of values that are costly to read and the same for every client: many requests within that
/// time cost one read. The more a read cost, the longer its value is kept. Thread-safe; concurrent callers share one
/// read.
template <typename Key, typename Value, typename Steady = std::chrono::steady_clock>
class Recent {
public:
    /// `at_most`: the longest time that a value is kept; zero: values are not cached.
    explicit Recent(Duration at_most) : at_most_(at_most) {}

    template <typename Read>
    [[nodiscard]] Value get(const Key& key, const Read& read) {
        if (auto kept = find(key)) return *std::move(kept);
        const std::lock_guard turn(turn_);
        if (auto kept = find(key)) return *std::move(kept);
        const std::uint64_t changes = count_changes();
        const auto began = Steady::now();
        Value value = read();
        keep(key, value, Steady::now() - began, changes);
        return value;
    }

    /// Always reads the value, and keeps it for get(). For a caller that reads periodically, and pauses at most nine
    /// times as long as a read takes: the value of a costly read then lasts until the next one.
    template <typename Read>
    Value renewed(const Key& key, const Read& read) {
        const std::lock_guard turn(turn_);
        const auto began = Steady::now();
        Value value = read();
        const auto until = from_now(std::max(shortest, 12 * (Steady::now() - began)));
        const std::lock_guard lock(mutex_);
        kept_.insert_or_assign(key, Kept{value, until, until});
        return value;
    }

    /// Marks all values as out of date. The next get() reads again, unless the last read was costly and recent.
    void changed() {
        const std::lock_guard lock(mutex_);
        ++changes_;
        for (auto& [key, kept] : kept_) kept.until = std::min(kept.until, kept.at_least_until);
    }

private:
    using Instant = typename Steady::time_point;
    using Length = typename Steady::duration;
    struct Kept {
        Value value;
        Instant until, at_least_until;
    };
    static constexpr std::size_t most_keys = 32;
    static constexpr Length shortest = std::chrono::milliseconds(100);

    [[nodiscard]] Instant from_now(Length length) const { return Steady::now() + std::min<Length>(length, at_most_); }

    [[nodiscard]] std::optional<Value> find(const Key& key) {
        const std::lock_guard lock(mutex_);
        const auto found = kept_.find(key);
        if (found == kept_.end() || Steady::now() >= found->second.until) return std::nullopt;
        return found->second.value;
    }

    [[nodiscard]] std::uint64_t count_changes() {
        const std::lock_guard lock(mutex_);
        return changes_;
    }

    void keep(const Key& key, const Value& value, Length cost, std::uint64_t changes) {
        Kept kept{value, from_now(std::max(shortest, 20 * cost)), from_now(5 * cost)};
        const std::lock_guard lock(mutex_);
        if (changes != changes_) kept.until = kept.at_least_until;
        if (kept_.size() >= most_keys) kept_.clear();
        kept_.insert_or_assign(key, std::move(kept));
    }

    const Duration at_most_;
    std::mutex turn_;   // held by the thread that reads
    std::mutex mutex_;  // guards the members below
    std::map<Key, Kept> kept_;
    std::uint64_t changes_ = 0;
};

/// The counts and statistics that many open pages request at the same time. Thread-safe.
class RecentCounts {
public:
    explicit RecentCounts(Duration at_most) : tasks_(at_most), jobs_(at_most), statistics_(at_most) {}

    // `queues`: those that `store` shows; empty: all.
    [[nodiscard]] store::TaskCounts tasks(store::Store& store, const store::Queues& queues) {
        return tasks_.get(queues, [&] { return store.count(); });
    }
    /// Always counts the tasks; see Recent::renewed.
    [[nodiscard]] store::TaskCounts renewed_tasks(store::Store& store, const store::Queues& queues) {
        return tasks_.renewed(queues, [&] { return store.count(); });
    }
    [[nodiscard]] store::JobCounts jobs(store::Store& store, const store::Queues& queues) {
        return jobs_.get(queues, [&] { return store.count_jobs(); });
    }
    [[nodiscard]] store::Stats statistics(store::Store& store, const store::StatsParams& params,
                                          const store::Queues& queues) {
        return statistics_.get({params.window, params.buckets, queues}, [&] { return store.stats(params); });
    }
    /// Marks all as out of date.
    void changed() {
        tasks_.changed();
        jobs_.changed();
        statistics_.changed();
    }

private:
    Recent<store::Queues, store::TaskCounts> tasks_;
    Recent<store::Queues, store::JobCounts> jobs_;
    Recent<std::tuple<Duration, int, store::Queues>, store::Stats> statistics_;
};

}  // namespace holdfast::api
