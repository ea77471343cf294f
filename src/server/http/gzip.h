#pragma once

#include <string>
#include <string_view>

namespace holdfast::http {

/// Returns the text in gzip format. Throws std::bad_alloc when memory runs out.
[[nodiscard]] std::string gzip(std::string_view text);

}  // namespace holdfast::http
