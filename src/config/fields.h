#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"

namespace holdfast::config {

/// A value of any field. monostate is null.
using Value = std::variant<std::monostate, bool, std::int64_t, double, Duration, std::string,
                           std::vector<std::string>, std::vector<Duration>, std::map<std::string, std::string>>;

enum class FieldType {
    Boolean,
    Count,       ///< a whole number
    Number,      ///< with at most two decimals in its range
    Size,        ///< bytes
    Length,      ///< a duration
    LengthList,  ///< several
    Choice,      ///< one of a few words
    Name,        ///< a short text
    NameList,    ///< several, all different
    Text,        ///< of any length
    TextList,    ///< several
    TextMap,     ///< names with texts
    StoreUrl,
};

/// One configurable value. Reading, checking, showing, environment variables, suggestions and the reference in
/// docs/configuration.md all derive from the table of these.
struct Field {
    std::string_view section;
    std::string_view name;
    FieldType type;
    std::string_view fallback = {};  ///< the default, written as in an environment variable
    std::int64_t least = 0;  ///< of Count, Size; of Number in hundredths; of lengths in microseconds; else how many
    std::int64_t most = 0;
    std::string_view words = {};  ///< of Choice: "process, thread"
    bool nullable = false;
    std::string_view meaning;                                      ///< a sentence
    std::string_view source;                                       ///< whose field it is, with that name and meaning
    std::string_view example;                                      ///< as written in the file
    void (*assign)(Config& config, const Value& value) = nullptr;  ///< nullptr: of no section, but of a task

    [[nodiscard]] std::string key() const;       ///< "recovery.check_interval_ms"
    [[nodiscard]] std::string variable() const;  ///< "HOLDFAST_RECOVERY_CHECK_INTERVAL_MS"
};

/// Every field, in the order of the documentation.
[[nodiscard]] std::span<const Field> fields();

[[nodiscard]] const Field* find_field(std::string_view key);
[[nodiscard]] const Field* find_field(std::string_view section, std::string_view name);

/// The field of any section with this last part of the key; nullptr when there is none.
[[nodiscard]] const Field* find_field_by_name(std::string_view name);

/// "recovery", ...: the sections that have fields.
[[nodiscard]] const std::vector<std::string>& field_sections();
/// "tasks", ...: the sections that are kept as they are.
[[nodiscard]] const std::vector<std::string>& kept_sections();

/// The names of a section's fields.
[[nodiscard]] std::vector<std::string> field_names(std::string_view section);

}  // namespace holdfast::config
