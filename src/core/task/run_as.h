#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "holdfast/result.h"

namespace holdfast::core {

/// The users that runs execute as, in place of the worker's own.
struct RunAs {
    std::string user = {};  ///< an account for all runs; empty: each slot has a user id of its own
    // From the first to the last of these ids, inclusive.
    std::uint32_t first = 0;
    std::uint32_t last = 0;

    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(last) - first + 1; }

    friend bool operator==(const RunAs&, const RunAs&) = default;
};

/// Reads { user: NAME } or { uids: FROM-TO }. The error lists everything that is wrong, each as the end of a sentence
/// that begins with "run_as".
[[nodiscard]] Result<RunAs, std::vector<std::string>> parse_run_as(const std::map<std::string, std::string>& members);

}  // namespace holdfast::core
