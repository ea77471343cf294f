#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

/// The longest name of a task, queue, tag, worker or key that a store takes.
inline constexpr std::size_t max_name_bytes = 255;

/// Why a text cannot be a name: not UTF-8, a NUL byte, a control character (C0, DEL, C1), or a character that changes
/// the direction of the text around it. Names are printed and logged; these could make one look like another. nullopt
/// when it can.
[[nodiscard]] std::optional<std::string> name_defect(std::string_view text);

}  // namespace holdfast
