#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "views/json.h"

namespace holdfast::views::schema {

// Builds JSON schemas (the dialect of OpenAPI 3.1). They document every request and response, and the server
// validates requests against them.

using Members = std::vector<std::pair<std::string, Json>>;

[[nodiscard]] Json any(const std::string& description = {});
[[nodiscard]] Json text(const std::string& description = {});
[[nodiscard]] Json boolean(const std::string& description = {});
[[nodiscard]] Json integer(const std::string& description = {});
[[nodiscard]] Json integer_between(std::int64_t least, std::int64_t most, const std::string& description = {});
[[nodiscard]] Json number(const std::string& description = {});
[[nodiscard]] Json uuid(const std::string& description = {});
[[nodiscard]] Json time(const std::string& description = {});      ///< RFC 3339
[[nodiscard]] Json duration(const std::string& description = {});  ///< "30s", "1h30m"
[[nodiscard]] Json moment(const std::string& description = {});    ///< a time, or a duration from now
[[nodiscard]] Json word(const std::vector<std::string>& allowed, const std::string& description = {});
[[nodiscard]] Json array(Json items, const std::string& description = {});
[[nodiscard]] Json map(Json of, const std::string& description = {});
[[nodiscard]] Json nullable(Json schema);
[[nodiscard]] Json ref(const std::string& component);
/// An object with exactly these members, all present: the form of responses.
[[nodiscard]] Json object(const Members& members);
/// An object where only the `required` members must be present, others may be absent or null, and unknown ones are
/// refused: the form of requests.
[[nodiscard]] Json form(const Members& members, const std::vector<std::string>& required = {});

}  // namespace holdfast::views::schema

namespace holdfast::views {

/// The schemas of all public records and enumerations, by name: the components of the OpenAPI document.
[[nodiscard]] Json components();

}  // namespace holdfast::views
