#pragma once

#include <cstddef>

namespace holdfast::http {

/// A chunked body that has not ended has at least so many bytes to come: "0\r\n\r\n". Beast's parser asserts that it
/// is given as many once it is within the header of a chunk.
inline constexpr std::size_t shortest_chunked_rest = 5;

}  // namespace holdfast::http
