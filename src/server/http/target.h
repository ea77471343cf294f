#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace holdfast::http {

/// Parses a target such as "/api/tasks?state=FAILED" into the path and the query of the request. An encoded slash
/// stays inside its segment. Returns the defect, as the rest of a sentence ("has an empty segment in its path"), for
/// a missing leading slash; for segments that are empty, "." or "..", encoded or not; for broken percent-encoding,
/// NUL, invalid UTF-8, unencoded control characters and spaces, fragments, and repeated query names.
[[nodiscard]] std::optional<std::string> read_target(std::string_view target, Request& request);

}  // namespace holdfast::http
