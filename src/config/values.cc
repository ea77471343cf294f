#include "config/values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "config/store_url.h"

namespace holdfast::config {

namespace {

using Reading = Result<Value, Misfit>;

constexpr std::size_t max_name_bytes = 255;  // as the stores take them

Reading misfit(std::string title, std::string suggestion = "") {
    return Failure{Misfit{std::move(title), std::move(suggestion)}};
}

struct NamedUnit {
    std::string_view suffix;
    Duration length;
    std::string_view name;
};
constexpr NamedUnit units[] = {
    {"_ms", std::chrono::milliseconds(1), "milliseconds"},
    {"_secs", std::chrono::seconds(1), "seconds"},
    {"_hours", std::chrono::hours(1), "hours"},
};

/// The unit that the field's name states; nullptr when it states none.
const NamedUnit* unit_in_name(const Field& field) {
    for (const NamedUnit& unit : units) {
        if (field.name.ends_with(unit.suffix)) return &unit;
    }
    return nullptr;
}

bool is_integer(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string without_underscores(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    return text;
}

/// Other languages group digits with underscores; say how it is written here.
std::string number_suggestion(const std::string& text) {
    const std::string plain = without_underscores(text);
    return plain != text && is_integer(plain) ? concat("write ", plain) : "";
}

Reading read_boolean(const SourceNode& node) {
    std::string word = node.scalar;
    for (char& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const bool is_true = word == "true" || word == "on" || word == "yes";
    const bool is_false = word == "false" || word == "off" || word == "no";
    if (!is_true && !is_false) return misfit("not true or false");
    if (node.quoted) return misfit("text instead of true or false", "write it without quotes");
    return Value(is_true);
}

Reading read_count(const Field& field, const SourceNode& node) {
    const std::string& text = node.scalar;
    if (!is_integer(text)) return misfit("not a whole number", number_suggestion(text));
    if (node.quoted) return misfit("text instead of a number", "write it without quotes");
    std::int64_t number = 0;
    const bool negative = text.front() == '-';
    const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
    const bool fits = std::from_chars(begin, text.data() + text.size(), number).ec == std::errc();
    if (!fits || number < field.least || number > field.most) {
        const bool too_low = fits ? number < field.least : negative;
        return misfit(too_low ? "too low" : "too high");
    }
    return Value(number);
}

/// A text that is no duration may still be a number beyond what a duration can hold.
Reading no_length(const SourceNode& node) {
    const std::string& text = node.scalar;
    if (text.starts_with('-') && parse_duration(std::string_view(text).substr(1), std::chrono::seconds(1)))
        return misfit("too low");
    if (is_integer(text)) return misfit(text.starts_with('-') ? "too low" : "too high");
    return misfit("not a duration", number_suggestion(text));
}

Reading read_length(const Field& field, const SourceNode& node) {
    const std::optional<Duration> length = parse_duration(node.scalar, plain_unit(field));
    if (!length) return no_length(node);
    if (length->count() < field.least) return misfit("too low");
    if (length->count() > field.most) return misfit("too high");
    const NamedUnit* unit = unit_in_name(field);
    if (unit != nullptr && *length % unit->length != Duration(0)) return misfit(concat("not in whole ", unit->name));
    if (*length % std::chrono::milliseconds(1) != Duration(0)) return misfit("not in whole milliseconds");
    return Value(*length);
}

std::optional<Misfit> name_misfit(const SourceNode& node) {
    if (node.kind != NodeKind::Scalar) return Misfit{concat(to_text(node.kind), " instead of a name"), ""};
    if (node.scalar.empty()) return Misfit{"empty", ""};
    if (node.scalar.size() > max_name_bytes) return Misfit{concat("longer than ", max_name_bytes, " bytes"), ""};
    if (const auto defect = text_defect(node.scalar)) return Misfit{*defect, ""};
    return std::nullopt;
}

Reading read_name(const SourceNode& node) {
    if (const auto fault = name_misfit(node)) return Failure{*fault};
    return Value(node.scalar);
}

Reading read_name_list(const Field& field, const SourceNode& node) {
    if (node.kind != NodeKind::Sequence)
        return misfit("not a list",
                      node.kind == NodeKind::Scalar ? concat("write [", mask_password(node.scalar), "]") : "");
    std::vector<std::string> names;
    for (const SourceNode& item : node.children) {
        if (const auto fault = name_misfit(item))
            return misfit(concat("item ", names.size() + 1, " is ", fault->title));
        if (std::find(names.begin(), names.end(), item.scalar) != names.end())
            return misfit(concat("names ", mask_password(item.scalar), " twice"));
        names.push_back(item.scalar);
    }
    const auto count = static_cast<std::int64_t>(names.size());
    if (count < field.least) return misfit("an empty list");
    if (count > field.most) return misfit(concat("a list of ", count, " names"));
    return Value(std::move(names));
}

Reading read_store_url(const SourceNode& node) {
    if (const auto fault = store_url_fault(node.scalar)) return misfit(fault->title, fault->suggestion);
    return Value(node.scalar);
}

Reading read_scalar(const Field& field, const SourceNode& node) {
    switch (field.type) {
        case FieldType::Boolean:
            return read_boolean(node);
        case FieldType::Count:
            return read_count(field, node);
        case FieldType::Length:
            return read_length(field, node);
        case FieldType::Name:
            return read_name(node);
        case FieldType::StoreUrl:
            return read_store_url(node);
        case FieldType::NameList:
            return read_name_list(field, node);
    }
    return misfit("not a value");
}

std::string length_text(const Field& field, Duration length) {
    const NamedUnit* unit = unit_in_name(field);
    return unit == nullptr ? format_duration(length) : std::to_string(length / unit->length);
}

std::string allowed_length(const Field& field) {
    const Duration least(field.least);
    const Duration most(field.most);
    const std::string readable = concat(format_duration(least), " to ", format_duration(most));
    const NamedUnit* unit = unit_in_name(field);
    if (unit == nullptr) return concat(readable, "; a plain number counts in seconds");
    return concat(length_text(field, least), " to ", length_text(field, most), " ", unit->name, " (", readable, ")");
}

std::string allowed_by_type(const Field& field) {
    switch (field.type) {
        case FieldType::Boolean:
            return "true (on, yes) or false (off, no)";
        case FieldType::Count:
            return concat("a whole number, ", field.least, " to ", field.most);
        case FieldType::Length:
            return allowed_length(field);
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
    const bool plain = name.find_first_not_of(plain_letters) == std::string::npos && name.front() != '-' &&
                       name.front() != '@' && name != "null" && name != "Null" && name != "NULL";
    return plain ? name : nlohmann::json(name).dump();
}

}  // namespace

Duration plain_unit(const Field& field) {
    const NamedUnit* unit = unit_in_name(field);
    return unit == nullptr ? Duration(std::chrono::seconds(1)) : unit->length;
}

Result<Value, Misfit> read_value(const Field& field, const SourceNode& node) {
    if (node.kind == NodeKind::Null) {
        if (field.nullable) return Value(std::monostate());
        return misfit("has no value", "give it one, or remove it for the default");
    }
    if (field.type != FieldType::NameList && node.kind != NodeKind::Scalar) {
        return misfit(concat(to_text(node.kind), " instead of a single value"));
    }
    return read_scalar(field, node);
}

SourceNode node_from_text(const Field& field, std::string_view text) {
    SourceNode node;
    node.path = field.key();
    node.key = field.name;
    if (field.nullable && (text == "null" || text == "~")) return node;
    if (field.type != FieldType::NameList) {
        node.kind = NodeKind::Scalar;
        node.scalar = text;
        return node;
    }
    node.kind = NodeKind::Sequence;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::size_t begin = std::min(text.find_first_not_of(" \t"), comma);
        const std::size_t end = text.substr(0, comma).find_last_not_of(" \t") + 1;
        SourceNode item;
        item.kind = NodeKind::Scalar;
        item.scalar = text.substr(begin, end > begin ? end - begin : 0);
        node.children.push_back(std::move(item));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return node;
}

std::string allowed_values(const Field& field) {
    return allowed_by_type(field) + (field.nullable ? ", or null" : "");
}

std::string written(const Field& field, const Value& value) {
    if (std::holds_alternative<std::monostate>(value)) return "null";
    switch (field.type) {
        case FieldType::Boolean:
            return std::get<bool>(value) ? "true" : "false";
        case FieldType::Count:
            return std::to_string(std::get<std::int64_t>(value));
        case FieldType::Length:
            return length_text(field, std::get<Duration>(value));
        case FieldType::Name:
            return written_name(std::get<std::string>(value));
        case FieldType::StoreUrl:
            return mask_password(std::get<std::string>(value));
        case FieldType::NameList:
            break;
    }
    std::vector<std::string> names = std::get<std::vector<std::string>>(value);
    std::transform(names.begin(), names.end(), names.begin(), written_name);
    return concat('[', join(names, ", "), ']');
}

}  // namespace holdfast::config
