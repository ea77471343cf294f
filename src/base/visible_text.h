#pragma once

#include <string>
#include <string_view>

namespace holdfast {

/// The text with every character escaped that would control a terminal instead of being shown: control characters
/// as "\x1b", DEL, the C1 controls and those that reorder text as "\u202e", bytes that are not UTF-8 as "\xe9".
/// Newlines and tabs stay. JSON stays JSON with the same meaning.
[[nodiscard]] std::string visible_text(std::string_view text);

/// The same for one line: newlines and tabs are escaped too.
[[nodiscard]] std::string visible_line(std::string_view text);

}  // namespace holdfast
