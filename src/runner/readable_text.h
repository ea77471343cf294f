#pragma once

#include <string>
#include <string_view>

namespace holdfast::runner {

/// Any bytes as text that every store accepts: valid UTF-8 stays as it is, other bytes and NUL become "\xE9".
[[nodiscard]] std::string readable_text(std::string_view bytes);

/// How many bytes at the end are the beginning of a character that is not whole yet: 0 to 3.
[[nodiscard]] std::size_t unfinished_character(std::string_view bytes);

}  // namespace holdfast::runner
