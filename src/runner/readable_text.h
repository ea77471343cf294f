#pragma once

#include <string>
#include <string_view>

namespace holdfast::runner {

/// Any bytes as text that every store accepts: valid UTF-8 stays as it is, other bytes and NUL become "\xE9".
[[nodiscard]] std::string readable_text(std::string_view bytes);

}  // namespace holdfast::runner
