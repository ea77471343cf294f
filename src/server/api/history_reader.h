#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "store/store.h"

namespace holdfast::api {

/// Returns the lines of history after that number, ascending: all, or the first `at_most` and up to a page more.
[[nodiscard]] std::vector<store::EventRecord> lines_after(
    store::ClientStore& store, std::int64_t after, std::size_t at_most = std::numeric_limits<std::size_t>::max());

/// Reads the lines of history that are new since its last read. A line receives its number before its transaction
/// commits, so a lower number may appear after a higher one. The reader therefore starts each read at the settled
/// line, below which the history is final, and returns each line once. It stops waiting for a transaction that stays
/// open while ten thousand lines are written. Not thread-safe.
class HistoryReader {
public:
    /// Starts after the newest line, without the past.
    void begin_now(store::Store& store);
    /// Returns the new lines, by number, ascending.
    [[nodiscard]] std::vector<store::EventRecord> read(store::Store& store);
    [[nodiscard]] bool has_read(std::int64_t id) const { return id <= settled_ || told_.contains(id); }
    /// Returns the settled line: every line up to it has been read, and new lines appear only above it.
    [[nodiscard]] std::int64_t settled() const { return settled_; }

private:
    [[nodiscard]] std::int64_t look_for_settled(store::ServerStore& store);
    void settle(std::int64_t up_to);

    std::int64_t settled_ = 0;
    std::set<std::int64_t> told_;    // numbers above settled_ that have been read
    store::EventWriters suspected_;  // of an earlier read, as far as they are still under way
};

}  // namespace holdfast::api
