#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace holdfast::views {

/// Members keep the order in which docs/cli.md documents them.
using Json = nlohmann::ordered_json;

/// Wraps JSON text as a part of a larger value; dump() writes it byte for byte. Empty text becomes null, and text
/// that is not JSON becomes a string. The content is opaque: use value_of() to read it.
[[nodiscard]] Json embedded(const std::string& text);
/// The value of JSON text; null when it is not JSON.
[[nodiscard]] Json value_of(const std::string& text);
/// Writes the value as JSON text, with embedded parts unchanged. Invalid UTF-8 is replaced.
[[nodiscard]] std::string dump(const Json& value);
/// The same as one line: line breaks of embedded parts become spaces.
[[nodiscard]] std::string dump_line(const Json& value);
/// Parses JSON such that dump() repeats every number with all of its digits. Returns a discarded value when the text
/// is not JSON.
[[nodiscard]] Json parse_exactly(std::string_view text);
/// Throws std::invalid_argument with a sentence such as "7 is not a time".
[[noreturn]] void misfit(std::string_view what, const Json& found);

}  // namespace holdfast::views
