#include "config/values.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/store_url.h"
#include "base/text.h"

namespace holdfast::config {

namespace {

constexpr DurationUnit duration_units[] = {
    {"_ms", std::chrono::milliseconds(1), "milliseconds"},
    {"_secs", std::chrono::seconds(1), "seconds"},
    {"_hours", std::chrono::hours(1), "hours"},
};

std::string duration_text(const Option& option, Duration duration) {
    const DurationUnit* unit = unit_in_name(option);
    return unit == nullptr ? format_duration(duration) : std::to_string(duration / unit->duration);
}

std::string allowed_duration(const Option& option) {
    const Duration least(option.range.least);
    const Duration most(option.range.most);
    const std::string readable = core::range_text(option);
    const DurationUnit* unit = unit_in_name(option);
    if (unit == nullptr) return concat(readable, "; a plain number counts in seconds");
    return concat(duration_text(option, least), " to ", duration_text(option, most), " ", unit->name, " (", readable,
                  ")");
}

std::string allowed_by_type(const Option& option) {
    switch (option.type) {
        case OptionType::Boolean:
            return "true (on, yes) or false (off, no)";
        case OptionType::Count:
            return concat("a whole number, ", core::range_text(option));
        case OptionType::Number:
            return concat("a number, ", core::range_text(option));
        case OptionType::Size:
            return concat(size_text(option.range.least), " to ", size_text(option.range.most),
                          "; a plain number counts in bytes");
        case OptionType::Duration:
            return allowed_duration(option);
        case OptionType::DurationList:
            return concat("a list of durations, each ", allowed_duration(option));
        case OptionType::Choice:
            return join(core::offered_words(option), " or ");
        case OptionType::Text:
            return "a text";
        case OptionType::TextList:
            return concat("a list of ", option.range.least, " to ", option.range.most, " texts");
        case OptionType::TextMap:
            return concat("a mapping of at most ", option.range.most, " names to texts");
        case OptionType::Name:
            return concat("a name of 1 to ", max_name_bytes, " bytes");
        case OptionType::NameList:
            return concat("a list of ", option.range.least, " to ", option.range.most, " different names");
        case OptionType::StoreUrl:
            return std::string(store_url_forms);
    }
    return "";
}

/// The name in a form that YAML reads back as the same text.
std::string written_name(const std::string& name) {
    static constexpr std::string_view plain_letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@";
    const bool plain = !name.empty() && name.find_first_not_of(plain_letters) == std::string::npos &&
                       name.front() != '-' && name.front() != '@' && name != "null" && name != "Null" &&
                       name != "NULL";
    return plain ? name : nlohmann::json(name).dump();
}

// One overload for each alternative of a Value; the last one handles numbers and booleans.

std::string written_as(const Option&, std::monostate) {
    return "null";
}

std::string written_as(const Option& option, Duration duration) {
    return duration_text(option, duration);
}

std::string written_as(const Option&, const std::string& name) {
    return written_name(name);
}

std::string written_as(const Option&, std::vector<std::string> names) {
    std::transform(names.begin(), names.end(), names.begin(), written_name);
    return concat('[', join(names, ", "), ']');
}

std::string written_as(const Option& option, const std::vector<Duration>& durations) {
    std::vector<std::string> texts;
    for (const Duration duration : durations) texts.push_back(duration_text(option, duration));
    return concat('[', join(texts, ", "), ']');
}

std::string written_as(const Option&, const std::map<std::string, std::string>& texts) {
    std::vector<std::string> entries;
    for (const auto& [name, text] : texts) entries.push_back(concat(written_name(name), ": ", written_name(text)));
    return concat('{', join(entries, ", "), '}');
}

template <typename Other>
std::string written_as(const Option&, Other other) {
    return core::plain_text(other);
}

}  // namespace

const DurationUnit* unit_in_name(const Option& option) {
    for (const DurationUnit& unit : duration_units)
        if (option.name.ends_with(unit.suffix)) return &unit;
    return nullptr;
}

std::string size_text(std::int64_t bytes) {
    for (const SizeUnit& unit : size_units)
        if (bytes >= unit.bytes && bytes % unit.bytes == 0) return concat(bytes / unit.bytes, unit.suffix);
    return std::to_string(bytes);
}

Duration plain_unit(const Option& option) {
    const DurationUnit* unit = unit_in_name(option);
    return unit == nullptr ? Duration(std::chrono::seconds(1)) : unit->duration;
}

std::string allowed_values(const Option& option) {
    if (!option.form.empty()) return std::string(option.form);
    return allowed_by_type(option) + (option.nullable ? ", or null" : "");
}

std::string written(const Option& option, const Value& value) {
    if (option.type == OptionType::StoreUrl) return mask_password(std::get<std::string>(value));
    if (option.type == OptionType::Size && std::holds_alternative<std::int64_t>(value))
        return size_text(std::get<std::int64_t>(value));
    return std::visit([&](const auto& held) { return written_as(option, held); }, value);
}

}  // namespace holdfast::config
