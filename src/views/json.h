#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace holdfast::views {

/// Members stand in the order in which docs/cli.md documents them.
using Json = nlohmann::ordered_json;

/// JSON text as a part of a larger value, which dump() writes byte for byte; null for empty text, and a string where
/// it is not JSON. Do not look into it: value_of() is for that.
[[nodiscard]] Json embedded(const std::string& text);
/// The text that `embedded` was made of.
[[nodiscard]] std::string embedded_text(const Json& value);
/// The value that JSON text holds; null when it is not JSON.
[[nodiscard]] Json value_of(const std::string& text);
/// JSON text with embedded parts as they were written. Bytes that are not UTF-8 are made readable.
[[nodiscard]] std::string dump(const Json& value);
/// The same as one line: line breaks of embedded parts become blanks.
[[nodiscard]] std::string dump_line(const Json& value);
/// Reads JSON so that dump() repeats every number with all of its digits. Discarded when it is not JSON.
[[nodiscard]] Json parse_exactly(std::string_view text);

}  // namespace holdfast::views
