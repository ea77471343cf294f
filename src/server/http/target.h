#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace holdfast::http {

/// What a request is about, decoded.
struct Target {
    std::vector<std::string> path;
    std::map<std::string, std::string> query;
};

/// What is wrong with a target, as the rest of a sentence: "has an empty segment in its path".
struct TargetDefect {
    std::string what;
};

/// Takes "/api/tasks?state=FAILED" apart. An encoded slash stays inside its segment. Refused: what does not begin
/// with a slash, segments that are empty, "." or "..", encoded or not; broken percent-encoding, NUL, anything but
/// UTF-8, control characters and spaces that are not encoded, fragments, and query names that come twice.
[[nodiscard]] std::variant<Target, TargetDefect> parse_target(std::string_view target);

}  // namespace holdfast::http
