#pragma once

#include <iosfwd>
#include <string>

namespace holdfast::cli {

/// The JSON text of --args: given as it is, as `@FILE`, or as `-` for standard input. Throws BadInput when the file
/// cannot be read, or with line and column when it is not JSON.
[[nodiscard]] std::string read_json_argument(const std::string& given, std::istream& in);

}  // namespace holdfast::cli
