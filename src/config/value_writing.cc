#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/store_url.h"
#include "base/text.h"
#include "config/units.h"
#include "config/values.h"

namespace holdfast::config {

namespace {

std::string length_text(const Field& field, Duration length) {
    const LengthUnit* unit = unit_in_name(field);
    return unit == nullptr ? format_duration(length) : std::to_string(length / unit->length);
}

std::string allowed_length(const Field& field) {
    const Duration least(field.least);
    const Duration most(field.most);
    const std::string readable = concat(format_duration(least), " to ", format_duration(most));
    const LengthUnit* unit = unit_in_name(field);
    if (unit == nullptr) return concat(readable, "; a plain number counts in seconds");
    return concat(length_text(field, least), " to ", length_text(field, most), " ", unit->name, " (", readable, ")");
}

double hundredths(std::int64_t count) {
    return static_cast<double>(count) / 100;
}

std::string allowed_by_type(const Field& field) {
    switch (field.type) {
        case FieldType::Boolean:
            return "true (on, yes) or false (off, no)";
        case FieldType::Count:
            return concat("a whole number, ", field.least, " to ", field.most);
        case FieldType::Number:
            return concat("a number, ", hundredths(field.least), " to ", hundredths(field.most));
        case FieldType::Size:
            return concat(size_text(field.least), " to ", size_text(field.most), "; a plain number counts in bytes");
        case FieldType::Length:
            return allowed_length(field);
        case FieldType::LengthList:
            return concat("a list of durations, each ", allowed_length(field));
        case FieldType::Choice:
            return join(words_of(field), " or ");
        case FieldType::Text:
            return "a text";
        case FieldType::TextList:
            return concat("a list of ", field.least, " to ", field.most, " texts");
        case FieldType::TextMap:
            return concat("a mapping of at most ", field.most, " names to texts");
        case FieldType::Name:
            return concat("a name of 1 to ", max_name_bytes, " bytes");
        case FieldType::NameList:
            return concat("a list of ", field.least, " to ", field.most, " different names");
        case FieldType::StoreUrl:
            return std::string(store_url_forms);
    }
    return "";
}

/// As YAML would read it back as the same text.
std::string written_name(const std::string& name) {
    static constexpr std::string_view plain_letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@";
    const bool plain = !name.empty() && name.find_first_not_of(plain_letters) == std::string::npos &&
                       name.front() != '-' && name.front() != '@' && name != "null" && name != "Null" &&
                       name != "NULL";
    return plain ? name : nlohmann::json(name).dump();
}

// One for each alternative of a Value.

std::string written_as(const Field&, std::monostate) {
    return "null";
}

std::string written_as(const Field&, bool truth) {
    return truth ? "true" : "false";
}

std::string written_as(const Field&, std::int64_t count) {
    return std::to_string(count);
}

std::string written_as(const Field&, double number) {
    return concat(number);
}

std::string written_as(const Field& field, Duration length) {
    return length_text(field, length);
}

std::string written_as(const Field&, const std::string& name) {
    return written_name(name);
}

std::string written_as(const Field&, std::vector<std::string> names) {
    std::transform(names.begin(), names.end(), names.begin(), written_name);
    return concat('[', join(names, ", "), ']');
}

std::string written_as(const Field& field, const std::vector<Duration>& lengths) {
    std::vector<std::string> texts;
    for (const Duration length : lengths) texts.push_back(length_text(field, length));
    return concat('[', join(texts, ", "), ']');
}

std::string written_as(const Field&, const std::map<std::string, std::string>& texts) {
    std::vector<std::string> entries;
    for (const auto& [name, text] : texts) entries.push_back(concat(written_name(name), ": ", written_name(text)));
    return concat('{', join(entries, ", "), '}');
}

}  // namespace

Duration plain_unit(const Field& field) {
    const LengthUnit* unit = unit_in_name(field);
    return unit == nullptr ? Duration(std::chrono::seconds(1)) : unit->length;
}

std::string allowed_values(const Field& field) {
    return allowed_by_type(field) + (field.nullable ? ", or null" : "");
}

std::string written(const Field& field, const Value& value) {
    if (field.type == FieldType::StoreUrl) return mask_password(std::get<std::string>(value));
    if (field.type == FieldType::Size && std::holds_alternative<std::int64_t>(value))
        return size_text(std::get<std::int64_t>(value));
    return std::visit([&](const auto& held) { return written_as(field, held); }, value);
}

}  // namespace holdfast::config
