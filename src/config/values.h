#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/name.h"
#include "config/fields.h"
#include "config/source_node.h"
#include "holdfast/result.h"

namespace holdfast::config {

struct DurationUnit {
    std::string_view suffix;
    Duration duration;
    std::string_view name;
};
/// The unit that the option's name states ("_ms", "_secs", "_hours"); nullptr when it states none.
[[nodiscard]] const DurationUnit* unit_in_name(const Option& option);

struct SizeUnit {
    std::string_view suffix;
    std::int64_t bytes;
};
/// From the largest unit to the byte.
inline constexpr SizeUnit size_units[] = {{"PiB", std::int64_t{1} << 50}, {"TiB", std::int64_t{1} << 40},
                                          {"GiB", std::int64_t{1} << 30}, {"MiB", std::int64_t{1} << 20},
                                          {"KiB", std::int64_t{1} << 10}, {"", 1}};
/// The size with its unit, exactly: "512MiB".
[[nodiscard]] std::string size_text(std::int64_t bytes);

/// The reason why a value does not fit its option, in the terms of a ConfigError.
struct Misfit {
    std::string title;
    std::string suggestion;  ///< may be empty
};

/// Reads the value of an option from a node of the file.
[[nodiscard]] Result<Value, Misfit> read_value(const Option& option, const SourceNode& node);

/// Converts a text from the environment or a flag into a node of the file; lists are separated by commas.
[[nodiscard]] SourceNode node_from_text(const Option& option, std::string_view text);

/// The allowed values of an option: "1000 to 600000 (1s to 10m), in milliseconds".
[[nodiscard]] std::string allowed_values(const Option& option);

/// The value in the notation of the file, passwords masked.
[[nodiscard]] std::string written(const Option& option, const Value& value);

/// The unit of a plain number, taken from the end of the option's name; seconds when the name states none.
[[nodiscard]] Duration plain_unit(const Option& option);

}  // namespace holdfast::config
