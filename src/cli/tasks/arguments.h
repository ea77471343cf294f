#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace holdfast::cli {

/// Reads the JSON text of `option`: given literally, as `@FILE`, or as `-` for standard input. Throws BadInput when
/// the file cannot be read, or with line and column when the text is not JSON.
[[nodiscard]] std::string read_json_argument(std::string_view option, const std::string& given, std::istream& in);

/// Reads a text: given literally, or as `@FILE`. Throws BadInput when the file cannot be read.
[[nodiscard]] std::string read_text_argument(std::string_view option, const std::string& given);

}  // namespace holdfast::cli
