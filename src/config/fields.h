#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/source_node.h"
#include "core/option.h"

namespace holdfast::config {

using core::Option;
using core::OptionType;
using Value = core::OptionValue;

/// One setting. Reading, checks, output, environment variables, suggestions and the reference in
/// docs/configuration.md all derive from the table of fields.
struct Field : core::OptionOf<Config> {
    std::string_view section = {};

    [[nodiscard]] std::string key() const;       ///< "recovery.check_interval_ms"
    [[nodiscard]] std::string variable() const;  ///< "HOLDFAST_RECOVERY_CHECK_INTERVAL_MS"
};

/// Every field, in the order of the documentation.
[[nodiscard]] const std::vector<Field>& fields();

/// Returns the field with this key ("recovery.check_interval_ms"); nullptr when there is none.
[[nodiscard]] const Field* find_field(std::string_view key);

/// Returns the field of any section whose key ends in this name; nullptr when there is none.
[[nodiscard]] const Field* find_field_by_name(std::string_view name);

/// "recovery", ...: the sections that have fields.
[[nodiscard]] const std::vector<std::string>& field_sections();
/// "tasks", ...: the sections without fields, which have readers of their own.
[[nodiscard]] const std::vector<std::string>& kept_sections();

/// The names of a section's fields.
[[nodiscard]] std::vector<std::string> field_names(std::string_view section);

// ---- Unknown keys -------------------------------------------------------------------------------------------------

/// The advice for a key that does not exist.
struct KeyAdvice {
    std::string title;    ///< "unknown key", or the note that another system uses this name for one of our keys
    std::string allowed;  ///< the keys that exist there, or the allowed values of the key that was meant
    std::string suggestion = {};   ///< the key to write instead; may be empty
    const Field* meant = nullptr;  ///< the field that was probably meant; nullptr when none
};

/// Returns the advice for a key of a section ("" is the top of the file) and its value.
[[nodiscard]] KeyAdvice advice_on_key(std::string_view section, std::string_view name, const SourceNode& value);

/// The keys of a section: "check_interval_ms, ...".
[[nodiscard]] std::string known_keys(std::string_view section);

}  // namespace holdfast::config
