#include "config/values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/name.h"
#include "base/store_url.h"
#include "base/text.h"
#include "config/units.h"

namespace holdfast::config {

namespace {

using Reading = Result<Value, Misfit>;

constexpr std::size_t max_lengths = 100;  // as many retries as a policy tells apart

Reading misfit(std::string title, std::string suggestion = "") {
    return Failure{Misfit{std::move(title), std::move(suggestion)}};
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
    const std::string word = lower_case(node.scalar);
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

/// Decimal digits with at most one point, which is all that the ranges need.
std::optional<double> decimal(std::string_view text) {
    double number = 0;
    const bool plain = text.find_first_not_of("+-0123456789.") == std::string_view::npos;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!plain || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

Reading read_number(const Field& field, const SourceNode& node) {
    const std::optional<double> number = decimal(node.scalar);
    if (!number) return misfit("not a number", number_suggestion(node.scalar));
    if (node.quoted) return misfit("text instead of a number", "write it without quotes");
    if (*number * 100 < static_cast<double>(field.least)) return misfit("too low");
    if (*number * 100 > static_cast<double>(field.most)) return misfit("too high");
    return Value(*number);
}

/// "512m" and "512MB" mean something elsewhere; say how it is written here.
Reading no_size(const std::string& text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    const bool has_unit = end != 0 && end != std::string::npos;
    const std::string unit = has_unit ? text.substr(end) : "";
    const auto letter = unit.empty() ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
    const bool is_known = std::string_view("KMGTP").find(letter) != std::string_view::npos;
    return misfit("not a size", is_known ? concat("write ", text.substr(0, end), letter, "iB") : "");
}

Reading read_size(const Field& field, const SourceNode& node) {
    const std::string& text = node.scalar;
    for (const SizeUnit& unit : size_units) {
        if (!text.ends_with(unit.suffix)) continue;
        const std::string number = text.substr(0, text.size() - unit.suffix.size());
        if (!is_integer(number)) break;
        std::int64_t count = 0;
        const char* begin = number.data() + (number.front() == '+' ? 1 : 0);
        const bool fits = std::from_chars(begin, number.data() + number.size(), count).ec == std::errc();
        if (number.front() == '-' || (fits && count <= field.most && count * unit.bytes < field.least))
            return misfit("too low");
        if (!fits || count > field.most / unit.bytes) return misfit("too high");
        return Value(count * unit.bytes);
    }
    return no_size(text);
}

Reading read_choice(const Field& field, const SourceNode& node) {
    const std::vector<std::string> words = words_of(field);
    if (std::find(words.begin(), words.end(), node.scalar) != words.end()) return Value(node.scalar);
    const auto near = nearest_word(node.scalar, words);
    return misfit("not one of the words", near ? concat("did you mean ", *near, "?") : "");
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
    const LengthUnit* unit = unit_in_name(field);
    if (unit != nullptr && *length % unit->length != Duration(0)) return misfit(concat("not in whole ", unit->name));
    if (*length % std::chrono::milliseconds(1) != Duration(0)) return misfit("not in whole milliseconds");
    return Value(*length);
}

std::optional<Misfit> name_misfit(const SourceNode& node) {
    if (node.kind != NodeKind::Scalar) return Misfit{concat(word_of(node.kind), " instead of a name"), ""};
    if (node.scalar.empty()) return Misfit{"empty", ""};
    if (node.scalar.size() > max_name_bytes) return Misfit{concat("longer than ", max_name_bytes, " bytes"), ""};
    if (const auto defect = name_defect(node.scalar)) return Misfit{*defect, ""};
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

Reading read_length_list(const Field& field, const SourceNode& node) {
    if (node.kind != NodeKind::Sequence) return misfit("not a list");
    std::vector<Duration> lengths;
    for (const SourceNode& item : node.children) {
        const std::string place = concat("item ", lengths.size() + 1, " is ");
        if (item.kind != NodeKind::Scalar) return misfit(concat(place, word_of(item.kind)));
        const Reading length = read_length(field, item);
        if (!length.ok()) return misfit(concat(place, length.error().title));
        lengths.push_back(std::get<Duration>(length.value()));
    }
    if (lengths.empty()) return misfit("an empty list");
    if (lengths.size() > max_lengths) return misfit(concat("a list of ", lengths.size(), " durations"));
    return Value(std::move(lengths));
}

std::optional<std::string> text_fault(const SourceNode& node) {
    if (node.kind != NodeKind::Scalar) return concat(word_of(node.kind), " instead of a text");
    return text_defect(node.scalar);
}

Reading read_text(const SourceNode& node) {
    if (const auto fault = text_fault(node)) return misfit(*fault);
    if (node.scalar.empty()) return misfit("empty");
    return Value(node.scalar);
}

Reading read_text_list(const Field& field, const SourceNode& node) {
    if (node.kind != NodeKind::Sequence)
        return misfit("not a list", node.kind == NodeKind::Scalar ? "write [WORD, WORD, ...]" : "");
    std::vector<std::string> texts;
    for (const SourceNode& item : node.children) {
        if (const auto fault = text_fault(item)) return misfit(concat("item ", texts.size() + 1, " is ", *fault));
        texts.push_back(item.scalar);
    }
    const auto count = static_cast<std::int64_t>(texts.size());
    if (count < field.least) return misfit("an empty list");
    if (count > 0 && texts.front().empty()) return misfit("item 1 is empty");
    if (count > field.most) return misfit(concat("a list of ", count, " texts"));
    return Value(std::move(texts));
}

Reading read_text_map(const Field& field, const SourceNode& node) {
    if (node.kind != NodeKind::Mapping) return misfit("not a mapping", "write {NAME: text}");
    Value value = std::map<std::string, std::string>();
    auto& texts = std::get<std::map<std::string, std::string>>(value);
    for (const SourceNode& item : node.children) {
        if (const auto fault = text_fault(item)) return misfit(concat(item.key, " is ", *fault));
        texts.emplace(item.key, item.scalar);
    }
    if (static_cast<std::int64_t>(texts.size()) > field.most)
        return misfit(concat("a mapping of ", texts.size(), " texts"));
    return value;
}

Reading read_store_url(const SourceNode& node) {
    if (const auto fault = store_url_fault(node.scalar)) return misfit(fault->title, fault->suggestion);
    return Value(node.scalar);
}

Reading read_as(const Field& field, const SourceNode& node) {
    switch (field.type) {
        case FieldType::Boolean:
            return read_boolean(node);
        case FieldType::Count:
            return read_count(field, node);
        case FieldType::Number:
            return read_number(field, node);
        case FieldType::Size:
            return read_size(field, node);
        case FieldType::Length:
            return read_length(field, node);
        case FieldType::LengthList:
            return read_length_list(field, node);
        case FieldType::Choice:
            return read_choice(field, node);
        case FieldType::Name:
            return read_name(node);
        case FieldType::NameList:
            return read_name_list(field, node);
        case FieldType::Text:
            return read_text(node);
        case FieldType::TextList:
            return read_text_list(field, node);
        case FieldType::TextMap:
            return read_text_map(field, node);
        case FieldType::StoreUrl:
            return read_store_url(node);
    }
    return misfit("not a value");
}

bool is_list(const Field& field) {
    return field.type == FieldType::NameList || field.type == FieldType::TextList ||
           field.type == FieldType::LengthList;
}

}  // namespace

Result<Value, Misfit> read_value(const Field& field, const SourceNode& node) {
    if (node.kind == NodeKind::Null) {
        if (field.nullable) return Value(std::monostate());
        return misfit("has no value", "give it one, or remove it for the default");
    }
    const bool is_single = !is_list(field) && field.type != FieldType::TextMap;
    if (is_single && node.kind != NodeKind::Scalar)
        return misfit(concat(word_of(node.kind), " instead of a single value"));
    return read_as(field, node);
}

SourceNode node_from_text(const Field& field, std::string_view text) {
    SourceNode node;
    node.path = field.key();
    node.key = field.name;
    if (field.nullable && (text == "null" || text == "~")) return node;
    if (!is_list(field)) {
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

}  // namespace holdfast::config
