#include "config/values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/store_url.h"
#include "base/text.h"

namespace holdfast::config {

namespace {

using Reading = Result<Value, Misfit>;

constexpr std::size_t max_durations = 100;  // the most retry delays that a policy distinguishes

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

/// Suggests the number without underscores, which other languages use to group digits.
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

Reading read_count(const Option& option, const SourceNode& node) {
    const std::string& text = node.scalar;
    if (!is_integer(text)) return misfit("not a whole number", number_suggestion(text));
    if (node.quoted) return misfit("text instead of a number", "write it without quotes");
    std::int64_t number = 0;
    const bool negative = text.front() == '-';
    const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
    const bool fits = std::from_chars(begin, text.data() + text.size(), number).ec == std::errc();
    if (!fits || number < option.range.least || number > option.range.most) {
        const bool too_low = fits ? number < option.range.least : negative;
        return misfit(too_low ? "too low" : "too high");
    }
    return Value(number);
}

/// Reads decimal digits with at most one point; the ranges need no other form.
std::optional<double> decimal(std::string_view text) {
    double number = 0;
    const bool plain = text.find_first_not_of("+-0123456789.") == std::string_view::npos;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!plain || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

Reading read_number(const Option& option, const SourceNode& node) {
    const std::optional<double> number = decimal(node.scalar);
    if (!number) return misfit("not a number", number_suggestion(node.scalar));
    if (node.quoted) return misfit("text instead of a number", "write it without quotes");
    if (*number * 100 < static_cast<double>(option.range.least)) return misfit("too low");
    if (*number * 100 > static_cast<double>(option.range.most)) return misfit("too high");
    return Value(*number);
}

/// The error for an invalid size. It suggests the form used here for "512m" and "512MB", which other systems accept.
Reading no_size(const std::string& text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    const bool has_unit = end != 0 && end != std::string::npos;
    const std::string unit = has_unit ? text.substr(end) : "";
    const auto letter = unit.empty() ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
    const bool is_known = std::string_view("KMGTP").find(letter) != std::string_view::npos;
    return misfit("not a size", is_known ? concat("write ", text.substr(0, end), letter, "iB") : "");
}

Reading read_size(const Option& option, const SourceNode& node) {
    const std::string& text = node.scalar;
    for (const SizeUnit& unit : size_units) {
        if (!text.ends_with(unit.suffix)) continue;
        const std::string number = text.substr(0, text.size() - unit.suffix.size());
        if (!is_integer(number)) break;
        std::int64_t count = 0;
        const char* begin = number.data() + (number.front() == '+' ? 1 : 0);
        const bool fits = std::from_chars(begin, number.data() + number.size(), count).ec == std::errc();
        if (number.front() == '-' || (fits && count <= option.range.most && count * unit.bytes < option.range.least))
            return misfit("too low");
        if (!fits || count > option.range.most / unit.bytes) return misfit("too high");
        return Value(count * unit.bytes);
    }
    return no_size(text);
}

Reading read_choice(const Option& option, const SourceNode& node) {
    const std::vector<std::string> words = core::offered_words(option);
    if (std::find(words.begin(), words.end(), node.scalar) != words.end()) return Value(node.scalar);
    const auto near = nearest_word(node.scalar, words);
    return misfit("not one of the words", near ? concat("did you mean ", *near, "?") : "");
}

/// The error for an invalid duration; the text may be a number that is too large for one.
Reading no_duration(const SourceNode& node) {
    const std::string& text = node.scalar;
    if (text.starts_with('-') && parse_duration(std::string_view(text).substr(1), std::chrono::seconds(1)))
        return misfit("too low");
    if (is_integer(text)) return misfit(text.starts_with('-') ? "too low" : "too high");
    return misfit("not a duration", number_suggestion(text));
}

Reading read_duration(const Option& option, const SourceNode& node) {
    const std::optional<Duration> duration = parse_duration(node.scalar, plain_unit(option));
    if (!duration) return no_duration(node);
    if (duration->count() < option.range.least) return misfit("too low");
    if (duration->count() > option.range.most) return misfit("too high");
    const DurationUnit* unit = unit_in_name(option);
    if (unit != nullptr && *duration % unit->duration != Duration(0))
        return misfit(concat("not in whole ", unit->name));
    if (*duration % std::chrono::milliseconds(1) != Duration(0)) return misfit("not in whole milliseconds");
    return Value(*duration);
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

Reading read_name_list(const Option& option, const SourceNode& node) {
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
    if (count < option.range.least) return misfit("an empty list");
    if (count > option.range.most) return misfit(concat("a list of ", count, " names"));
    return Value(std::move(names));
}

Reading read_duration_list(const Option& option, const SourceNode& node) {
    if (node.kind != NodeKind::Sequence) return misfit("not a list");
    std::vector<Duration> durations;
    for (const SourceNode& item : node.children) {
        const std::string place = concat("item ", durations.size() + 1, " is ");
        if (item.kind != NodeKind::Scalar) return misfit(concat(place, word_of(item.kind)));
        const Reading duration = read_duration(option, item);
        if (!duration.ok()) return misfit(concat(place, duration.error().title));
        durations.push_back(std::get<Duration>(duration.value()));
    }
    if (durations.empty()) return misfit("an empty list");
    if (durations.size() > max_durations) return misfit(concat("a list of ", durations.size(), " durations"));
    return Value(std::move(durations));
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

Reading read_text_list(const Option& option, const SourceNode& node) {
    if (node.kind != NodeKind::Sequence)
        return misfit("not a list", node.kind == NodeKind::Scalar ? "write [WORD, WORD, ...]" : "");
    std::vector<std::string> texts;
    for (const SourceNode& item : node.children) {
        if (const auto fault = text_fault(item)) return misfit(concat("item ", texts.size() + 1, " is ", *fault));
        texts.push_back(item.scalar);
    }
    const auto count = static_cast<std::int64_t>(texts.size());
    if (count < option.range.least) return misfit("an empty list");
    if (count > 0 && texts.front().empty()) return misfit("item 1 is empty");
    if (count > option.range.most) return misfit(concat("a list of ", count, " texts"));
    return Value(std::move(texts));
}

Reading read_text_map(const Option& option, const SourceNode& node) {
    if (node.kind != NodeKind::Mapping) return misfit("not a mapping", "write {NAME: text}");
    Value value = std::map<std::string, std::string>();
    auto& texts = std::get<std::map<std::string, std::string>>(value);
    for (const SourceNode& item : node.children) {
        if (const auto fault = text_fault(item)) return misfit(concat(item.key, " is ", *fault));
        texts.emplace(item.key, item.scalar);
    }
    if (static_cast<std::int64_t>(texts.size()) > option.range.most)
        return misfit(concat("a mapping of ", texts.size(), " texts"));
    return value;
}

Reading read_store_url(const SourceNode& node) {
    if (const auto fault = store_url_fault(node.scalar)) return misfit(fault->title, fault->suggestion);
    return Value(node.scalar);
}

Reading read_as(const Option& option, const SourceNode& node) {
    switch (option.type) {
        case OptionType::Boolean:
            return read_boolean(node);
        case OptionType::Count:
            return read_count(option, node);
        case OptionType::Number:
            return read_number(option, node);
        case OptionType::Size:
            return read_size(option, node);
        case OptionType::Duration:
            return read_duration(option, node);
        case OptionType::DurationList:
            return read_duration_list(option, node);
        case OptionType::Choice:
            return read_choice(option, node);
        case OptionType::Name:
            return read_name(node);
        case OptionType::NameList:
            return read_name_list(option, node);
        case OptionType::Text:
            return read_text(node);
        case OptionType::TextList:
            return read_text_list(option, node);
        case OptionType::TextMap:
            return read_text_map(option, node);
        case OptionType::StoreUrl:
            return read_store_url(node);
    }
    return misfit("not a value");
}

bool is_list(const Option& option) {
    return option.type == OptionType::NameList || option.type == OptionType::TextList ||
           option.type == OptionType::DurationList;
}

}  // namespace

Result<Value, Misfit> read_value(const Option& option, const SourceNode& node) {
    if (node.kind == NodeKind::Null) {
        if (option.nullable) return Value(std::monostate());
        return misfit("has no value", "give it one, or remove it for the default");
    }
    const bool is_single = !is_list(option) && option.type != OptionType::TextMap;
    if (is_single && node.kind != NodeKind::Scalar)
        return misfit(concat(word_of(node.kind), " instead of a single value"));
    return read_as(option, node);
}

SourceNode node_from_text(const Option& option, std::string_view text) {
    SourceNode node;
    node.key = option.name;
    if (option.nullable && (text == "null" || text == "~")) return node;
    if (!is_list(option)) {
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
