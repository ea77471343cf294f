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
/// From the largest to the byte.
inline constexpr SizeUnit size_units[] = {{"PiB", std::int64_t{1} << 50}, {"TiB", std::int64_t{1} << 40},
                                          {"GiB", std::int64_t{1} << 30}, {"MiB", std::int64_t{1} << 20},
                                          {"KiB", std::int64_t{1} << 10}, {"", 1}};
/// "512MiB"; exact.
[[nodiscard]] std::string size_text(std::int64_t bytes);

/// Why a value does not fit its option; the words of a ConfigError.
struct Misfit {
    std::string title;
    std::string suggestion;  ///< may be empty
};

/// Reads the value of an option from what the file says.
[[nodiscard]] Result<Value, Misfit> read_value(const Option& option, const SourceNode& node);

/// A text from the environment or a flag, as if it had stood in the file; lists are separated by commas.
[[nodiscard]] SourceNode node_from_text(const Option& option, std::string_view text);

/// What may stand there: "1000 to 600000 (1s to 10m), in milliseconds".
[[nodiscard]] std::string allowed_values(const Option& option);

/// The value as it would be written in the file, passwords masked.
[[nodiscard]] std::string written(const Option& option, const Value& value);

/// What a plain number counts in, by the end of its name; seconds when it names no unit.
[[nodiscard]] Duration plain_unit(const Option& option);

}  // namespace holdfast::config
