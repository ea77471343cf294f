#pragma once

#include <string_view>

namespace holdfast::http {

/// Returns whether the bytes are an incomplete last chunk, which the caller must hold back from Beast's parser
/// until more bytes arrive: the parser consumes the first three bytes and then asserts that the final two arrive
/// together.
[[nodiscard]] inline bool is_cut_last_chunk(std::string_view bytes) {
    return bytes.size() < 5 && bytes.starts_with("0\r\n");
}

}  // namespace holdfast::http
