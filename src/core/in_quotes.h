#pragma once

#include <string>
#include <string_view>

namespace holdfast::core {

/// `"fetch"`: a user's word in a message, escaped and short enough for a sentence.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace holdfast::core
