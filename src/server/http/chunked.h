#pragma once

#include <string_view>

namespace holdfast::http {

/// The beginning of a last chunk that Beast's parser must not be given yet: it takes the first three bytes, and then
/// asserts that it gets the two that end it together.
[[nodiscard]] inline bool is_cut_last_chunk(std::string_view bytes) {
    return bytes.size() < 5 && bytes.starts_with("0\r\n");
}

}  // namespace holdfast::http
