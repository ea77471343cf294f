#include "config/units.h"

#include <chrono>

#include "base/text.h"

namespace holdfast::config {

namespace {

constexpr LengthUnit length_units[] = {
    {"_ms", std::chrono::milliseconds(1), "milliseconds"},
    {"_secs", std::chrono::seconds(1), "seconds"},
    {"_hours", std::chrono::hours(1), "hours"},
};

}  // namespace

const LengthUnit* unit_in_name(const Field& field) {
    for (const LengthUnit& unit : length_units) {
        if (field.name.ends_with(unit.suffix)) return &unit;
    }
    return nullptr;
}

std::string size_text(std::int64_t bytes) {
    for (const SizeUnit& unit : size_units) {
        if (bytes >= unit.bytes && bytes % unit.bytes == 0) return concat(bytes / unit.bytes, unit.suffix);
    }
    return std::to_string(bytes);
}

std::vector<std::string> words_of(const Field& field) {
    std::vector<std::string> words;
    for (std::string_view rest = field.words; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(", "), rest.size());
        words.emplace_back(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
    return words;
}

}  // namespace holdfast::config
