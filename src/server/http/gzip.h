#pragma once

#include <string>
#include <string_view>

namespace holdfast::http {

/// The text as a gzip file. Throws std::bad_alloc when there is no memory for it.
[[nodiscard]] std::string gzip(std::string_view text);

}  // namespace holdfast::http
