#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "holdfast/time.h"

namespace holdfast::api {

/// What is dear to read and the same for everybody, kept for a moment: many who ask within it cost as much as one.
/// The dearer it was, the longer it is kept. Thread-safe; those who ask at once wait for one reading.
template <typename Key, typename Value>
class Recent {
public:
    /// `at_most`: nothing is kept longer; zero: nothing is kept.
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

    /// Reads it in any case, for somebody who does so again and again, with nine times as long in between at most:
    /// the others are content with that.
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

    /// What was read before is out of date: it is read again, unless that was dear and just now.
    void changed() {
        const std::lock_guard lock(mutex_);
        ++changes_;
        for (auto& [key, kept] : kept_) kept.until = std::min(kept.until, kept.at_least_until);
    }

private:
    using Steady = std::chrono::steady_clock;
    struct Kept {
        Value value;
        Steady::time_point until, at_least_until;
    };
    static constexpr std::size_t most_keys = 32;
    static constexpr Steady::duration shortest = std::chrono::milliseconds(100);

    [[nodiscard]] Steady::time_point from_now(Steady::duration length) const {
        return Steady::now() + std::min<Steady::duration>(length, at_most_);
    }

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

    void keep(const Key& key, const Value& value, Steady::duration cost, std::uint64_t changes) {
        Kept kept{value, from_now(std::max(shortest, 20 * cost)), from_now(5 * cost)};
        const std::lock_guard lock(mutex_);
        if (changes != changes_) kept.until = kept.at_least_until;
        if (kept_.size() >= most_keys) kept_.clear();
        kept_.insert_or_assign(key, std::move(kept));
    }

    const Duration at_most_;
    std::mutex turn_;   // of whoever reads
    std::mutex mutex_;  // guards what follows
    std::map<Key, Kept> kept_;
    std::uint64_t changes_ = 0;
};

}  // namespace holdfast::api
