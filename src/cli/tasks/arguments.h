#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace holdfast::cli {

/// The JSON text of `option`: given as it is, as `@FILE`, or as `-` for standard input. Throws BadInput when the file
/// cannot be read, or with line and column when it is not JSON.
[[nodiscard]] std::string read_json_argument(std::string_view option, const std::string& given, std::istream& in);

/// A text: given as it is, or as `@FILE`. Throws BadInput when the file cannot be read.
[[nodiscard]] std::string read_text_argument(std::string_view option, const std::string& given);

}  // namespace holdfast::cli
