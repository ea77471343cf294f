#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "holdfast/time.h"

namespace holdfast::sim {

/// The events of a run, line by line: a hash by which two runs are compared, and the last lines as text.
class Trace {
public:
    /// `keeps`: how many of the last lines are kept for a report. `prints`: print each line as it comes.
    Trace(std::size_t keeps, bool prints) : keeps_(keeps), prints_(prints) {}

    void line(Duration at, std::string_view who, std::string_view what);
    [[nodiscard]] std::uint64_t hash() const { return hash_; }
    [[nodiscard]] const std::deque<std::string>& last_lines() const { return lines_; }

private:
    const std::size_t keeps_;
    const bool prints_;
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
    std::deque<std::string> lines_;
};

}  // namespace holdfast::sim
