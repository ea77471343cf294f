#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace holdfast::http {

/// The decoded target of a request.
struct Target {
    std::vector<std::string> path;
    std::map<std::string, std::string> query;
};

/// The defect of a target, as the rest of a sentence: "has an empty segment in its path".
struct TargetDefect {
    std::string what;
};

/// Parses a target such as "/api/tasks?state=FAILED". An encoded slash stays inside its segment. Returns a
/// TargetDefect for a missing leading slash; for segments that are empty, "." or "..", encoded or not; for broken
/// percent-encoding, NUL, invalid UTF-8, unencoded control characters and spaces, fragments, and repeated query
/// names.
[[nodiscard]] std::variant<Target, TargetDefect> parse_target(std::string_view target);

}  // namespace holdfast::http
