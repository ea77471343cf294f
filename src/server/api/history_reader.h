#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "store/store.h"

namespace holdfast::api {

/// The lines of history after that one, by their numbers: all, or the first `at_most` and up to a page more.
[[nodiscard]] std::vector<store::EventRecord> lines_after(
    store::ClientStore& store, std::int64_t after, std::size_t at_most = std::numeric_limits<std::size_t>::max());

/// Reads the lines of history that are new since it last looked. Numbers are given before lines are committed, so
/// that a lower one may appear after a higher one: it reads again from where none can appear any more, and tells each
/// line once. A transaction that is under way while ten thousand lines are written is not waited for any longer.
class HistoryReader {
public:
    /// Forgets the past: begins after the newest line.
    void begin_now(store::Store& store);
    /// By their numbers, ascending.
    [[nodiscard]] std::vector<store::EventRecord> read(store::Store& store);
    [[nodiscard]] bool has_read(std::int64_t id) const { return id <= settled_ || told_.contains(id); }
    /// Every line up to this one has been read, and no other will appear among them.
    [[nodiscard]] std::int64_t settled() const { return settled_; }

private:
    [[nodiscard]] std::int64_t look_for_settled(store::ServerStore& store);
    void settle(std::int64_t up_to);

    std::int64_t settled_ = 0;
    std::set<std::int64_t> told_;    // those beyond that have been read
    store::EventWriters suspected_;  // of an earlier look, as far as they are still under way
};

}  // namespace holdfast::api
