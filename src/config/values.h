#pragma once

#include <string>
#include <string_view>

#include "config/fields.h"
#include "config/source_node.h"
#include "holdfast/result.h"

namespace holdfast::config {

/// Why a value does not fit its field; the words of a ConfigError.
struct Misfit {
    std::string title;
    std::string suggestion;  ///< may be empty
};

/// Reads the value of a field from what the file says.
[[nodiscard]] Result<Value, Misfit> read_value(const Field& field, const SourceNode& node);

/// A text from the environment or a flag, as if it had stood in the file; lists are separated by commas.
[[nodiscard]] SourceNode node_from_text(const Field& field, std::string_view text);

/// What may stand there: "1000 to 600000 (1s to 10m), in milliseconds".
[[nodiscard]] std::string allowed_values(const Field& field);

/// The value as it would be written in the file, passwords masked.
[[nodiscard]] std::string written(const Field& field, const Value& value);

/// What a plain number counts in, by the end of the field's name; seconds when it names no unit.
[[nodiscard]] Duration plain_unit(const Field& field);

}  // namespace holdfast::config
