#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

/// How many bytes the valid UTF-8 character at the beginning has, 1 to 4; 0 when there is none.
[[nodiscard]] std::size_t character_length(std::string_view bytes);

/// The number of one valid UTF-8 character.
[[nodiscard]] char32_t code_point(std::string_view character);

/// C0, DEL and C1.
[[nodiscard]] bool is_control(char32_t code);

/// An embedding, override or isolate of bidirectional text.
[[nodiscard]] bool changes_direction(char32_t code);

/// How many bytes at the end are the beginning of a character that is not whole yet: 0 to 3.
[[nodiscard]] std::size_t unfinished_character(std::string_view bytes);

}  // namespace holdfast
