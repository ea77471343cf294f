#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/fields.h"

namespace holdfast::config {

inline constexpr std::size_t max_name_bytes = 255;  // as the stores take them

struct LengthUnit {
    std::string_view suffix;
    Duration length;
    std::string_view name;
};
/// The unit that the field's name states ("_ms", "_secs", "_hours"); nullptr when it states none.
[[nodiscard]] const LengthUnit* unit_in_name(const Field& field);

struct SizeUnit {
    std::string_view suffix;
    std::int64_t bytes;
};
/// From the largest to the byte.
inline constexpr SizeUnit size_units[] = {{"PiB", std::int64_t{1} << 50}, {"TiB", std::int64_t{1} << 40},
                                          {"GiB", std::int64_t{1} << 30}, {"MiB", std::int64_t{1} << 20},
                                          {"KiB", std::int64_t{1} << 10}, {"", 1}};
/// "512MiB"; exact.
[[nodiscard]] std::string size_text(std::int64_t bytes);

/// The words of a Choice.
[[nodiscard]] std::vector<std::string> words_of(const Field& field);

}  // namespace holdfast::config
