#pragma once

#include <string>
#include <string_view>

#include "config/fields.h"
#include "config/source_node.h"

namespace holdfast::config {

/// The advice for a key that does not exist.
struct KeyAdvice {
    std::string title;       ///< "unknown key", or the note that another system uses this name for one of our keys
    std::string allowed;     ///< the keys that exist there, or the allowed values of the key that was meant
    std::string suggestion;  ///< the key to write instead; may be empty
    const Field* meant = nullptr;  ///< the field that was probably meant; nullptr when none
};

/// Returns the advice for a key of a section ("" is the top of the file) and its value.
[[nodiscard]] KeyAdvice advice_on_key(std::string_view section, std::string_view name, const SourceNode& value);

/// The keys of a section: "check_interval_ms, ...".
[[nodiscard]] std::string known_keys(std::string_view section);

}  // namespace holdfast::config
