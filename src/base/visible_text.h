#pragma once

#include <string>
#include <string_view>

namespace holdfast {

/// The text with every character spelled out that a terminal would act upon instead of showing it: control characters
/// as "\x1b", DEL, the C1 controls and those that reorder text as "\u202e", bytes that are not UTF-8 as "\xe9".
/// Newlines and tabs stay. What has been JSON still is, and means the same.
[[nodiscard]] std::string visible_text(std::string_view text);

/// The same for one line: newlines and tabs are spelled out too.
[[nodiscard]] std::string visible_line(std::string_view text);

}  // namespace holdfast
