#pragma once

#include <string>
#include <string_view>

#include "config/fields.h"
#include "config/source_node.h"

namespace holdfast::config {

/// What to tell a person who wrote a key that does not exist.
struct KeyAdvice {
    std::string title;             ///< "unknown key", or that it is another system's name for one of ours
    std::string allowed;           ///< the keys that exist there, or what the one that was meant may hold
    std::string suggestion;        ///< what to write instead; may be empty
    const Field* meant = nullptr;  ///< the field that it seems to be about; nullptr when none
};

/// About a key of a section ("" is the top of the file) and the value under it.
[[nodiscard]] KeyAdvice advice_on_key(std::string_view section, std::string_view name, const SourceNode& value);

/// The keys that exist there: "check_interval_ms, ...".
[[nodiscard]] std::string known_keys(std::string_view section);

}  // namespace holdfast::config
