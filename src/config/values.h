#pragma once

#include <string>
#include <string_view>

#include "config/fields.h"
#include "config/source_node.h"
#include "holdfast/result.h"

namespace holdfast::config {

/// The reason why a value does not fit its option, in the terms of a ConfigError.
struct Misfit {
    std::string title;
    std::string suggestion = {};  ///< may be empty
};

/// Reads the value of an option from a node of the file.
[[nodiscard]] Result<Value, Misfit> read_value(const Option& option, const SourceNode& node);

/// Converts a text from the environment or a flag into a node of the file; lists are separated by commas,
/// and so are the entries of a mapping, NAME=text.
[[nodiscard]] SourceNode node_from_text(const Option& option, std::string_view text);

/// The allowed values of an option: "1000 to 600000 (1s to 10m), in milliseconds".
[[nodiscard]] std::string allowed_values(const Option& option);

/// The value in the notation of the file, passwords masked.
[[nodiscard]] std::string written(const Option& option, const Value& value);

}  // namespace holdfast::config
