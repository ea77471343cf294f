#include "config/values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/store_url.h"
#include "base/text.h"

namespace holdfast::config {

namespace {

using core::Range;

// ---- Units --------------------------------------------------------------------------------------------------------

struct DurationUnit {
    std::string_view suffix;
    Duration duration;
    std::string_view name;
};
constexpr DurationUnit duration_units[] = {
    {"_ms", std::chrono::milliseconds(1), "milliseconds"},
    {"_secs", std::chrono::seconds(1), "seconds"},
    {"_hours", std::chrono::hours(1), "hours"},
};

/// The unit that the option's name states; nullptr when it states none.
const DurationUnit* unit_in_name(const Option& option) {
    for (const DurationUnit& unit : duration_units)
        if (option.name.ends_with(unit.suffix)) return &unit;
    return nullptr;
}

struct SizeUnit {
    std::string_view suffix;
    std::int64_t bytes;
};
/// From the largest unit to the byte.
constexpr SizeUnit size_units[] = {{"PiB", std::int64_t{1} << 50}, {"TiB", std::int64_t{1} << 40},
                                   {"GiB", std::int64_t{1} << 30}, {"MiB", std::int64_t{1} << 20},
                                   {"KiB", std::int64_t{1} << 10}, {"", 1}};

/// The size with its unit, exactly: "512MiB".
std::string size_text(std::int64_t bytes) {
    for (const SizeUnit& unit : size_units)
        if (bytes >= unit.bytes && bytes % unit.bytes == 0) return concat(bytes / unit.bytes, unit.suffix);
    return std::to_string(bytes);
}

// ---- Reading ------------------------------------------------------------------------------------------------------

using Reading = Result<Value, Misfit>;

constexpr std::int64_t max_durations = 100;  // the most retry delays that a policy distinguishes

Reading misfit(std::string title, std::string suggestion = "") {
    return Failure{Misfit{std::move(title), std::move(suggestion)}};
}

bool is_integer(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The value of a text for which is_integer() holds; nullopt when it does not fit into 64 bits.
std::optional<std::int64_t> integer_in(std::string_view text) {
    std::int64_t number = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    const bool fits = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
    return fits ? std::optional(number) : std::nullopt;
}

/// Suggests the number without underscores, which other languages use to group digits.
std::string number_suggestion(const std::string& text) {
    std::string plain = text;
    std::erase(plain, '_');
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
    const std::optional<std::int64_t> number = integer_in(text);
    if (number ? *number < option.range.least : text.front() == '-') return misfit("too low");
    if (!number || *number > option.range.most) return misfit("too high");
    return Value(*number);
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
        const std::optional<std::int64_t> count = integer_in(number);
        if (number.front() == '-') return misfit("too low");
        if (!count || *count > option.range.most / unit.bytes) return misfit("too high");
        if (*count * unit.bytes < option.range.least) return misfit("too low");
        return Value(*count * unit.bytes);
    }
    return no_size(text);
}

Reading read_choice(const Option& option, const SourceNode& node) {
    const std::vector<std::string> words = core::offered_words(option);
    if (std::ranges::count(words, node.scalar) > 0) return Value(node.scalar);
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
    const DurationUnit* unit = unit_in_name(option);
    const auto duration = parse_duration(node.scalar, unit == nullptr ? std::chrono::seconds(1) : unit->duration);
    if (!duration) return no_duration(node);
    if (duration->count() < option.range.least) return misfit("too low");
    if (duration->count() > option.range.most) return misfit("too high");
    if (unit != nullptr && *duration % unit->duration != Duration(0))
        return misfit(concat("not in whole ", unit->name));
    if (*duration % std::chrono::milliseconds(1) != Duration(0)) return misfit("not in whole milliseconds");
    return Value(*duration);
}

std::optional<std::string> name_fault(const SourceNode& node) {
    if (node.kind != NodeKind::Scalar) return concat(word_of(node.kind), " instead of a name");
    if (node.scalar.empty()) return "empty";
    if (node.scalar.size() > max_name_bytes) return concat("longer than ", max_name_bytes, " bytes");
    return name_defect(node.scalar);
}

std::optional<std::string> text_fault(const SourceNode& node) {
    if (node.kind != NodeKind::Scalar) return concat(word_of(node.kind), " instead of a text");
    return text_defect(node.scalar);
}

Reading read_name(const SourceNode& node) {
    if (const auto fault = name_fault(node)) return misfit(*fault);
    return Value(node.scalar);
}

Reading read_text(const SourceNode& node) {
    if (const auto fault = text_fault(node)) return misfit(*fault);
    if (node.scalar.empty()) return misfit("empty");
    return Value(node.scalar);
}

/// Checks each item of a list by `fault_of`, and the number of items by `count`; `noun` names the items in errors.
template <typename FaultOf>
std::optional<Misfit> list_misfit(const SourceNode& node, Range count, std::string_view noun, FaultOf fault_of) {
    if (node.kind != NodeKind::Sequence) return Misfit{"not a list"};
    for (std::size_t i = 0; i < node.children.size(); ++i)
        if (const std::optional<std::string> fault = fault_of(node.children[i]))
            return Misfit{concat("item ", i + 1, " is ", *fault)};
    const auto items = std::ssize(node.children);
    if (items < count.least) return Misfit{"an empty list"};
    if (items > count.most) return Misfit{concat("a list of ", items, " ", noun)};
    return std::nullopt;
}

std::vector<std::string> scalars_of(const SourceNode& list) {
    std::vector<std::string> scalars;
    for (const SourceNode& item : list.children) scalars.push_back(item.scalar);
    return scalars;
}

Reading read_name_list(const Option& option, const SourceNode& node) {
    if (node.kind == NodeKind::Scalar)
        return misfit("not a list", concat("write [", mask_password(node.scalar), "]"));
    if (const auto fault = list_misfit(node, option.range, "names", name_fault)) return Failure{*fault};
    std::vector<std::string> names = scalars_of(node);
    for (auto name = names.begin(); name != names.end(); ++name)
        if (std::find(names.begin(), name, *name) != name)
            return misfit(concat("names ", mask_password(*name), " twice"));
    return Value(std::move(names));
}

Reading read_duration_list(const Option& option, const SourceNode& node) {
    std::vector<Duration> durations;
    const auto read_item = [&](const SourceNode& item) -> std::optional<std::string> {
        if (item.kind != NodeKind::Scalar) return std::string(word_of(item.kind));
        const Reading duration = read_duration(option, item);
        if (!duration.ok()) return duration.error().title;
        durations.push_back(std::get<Duration>(duration.value()));
        return std::nullopt;
    };
    if (const auto fault = list_misfit(node, {1, max_durations}, "durations", read_item)) return Failure{*fault};
    return Value(std::move(durations));
}

Reading read_text_list(const Option& option, const SourceNode& node) {
    if (node.kind == NodeKind::Scalar) return misfit("not a list", "write [WORD, WORD, ...]");
    if (const auto fault = list_misfit(node, option.range, "texts", text_fault)) return Failure{*fault};
    if (!node.children.empty() && node.children.front().scalar.empty()) return misfit("item 1 is empty");
    return Value(scalars_of(node));
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

// ---- Writing ------------------------------------------------------------------------------------------------------

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

/// "NAME=text"; without a text it is an empty one.
SourceNode entry_from_text(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
    return {.kind = NodeKind::Scalar, .key = std::string(text.substr(0, equals)), .scalar = std::string(value)};
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
    SourceNode node{.key = std::string(option.name)};
    if (option.nullable && (text == "null" || text == "~")) return node;
    const bool is_map = option.type == OptionType::TextMap;
    node.kind = is_map ? NodeKind::Mapping : is_list(option) ? NodeKind::Sequence : NodeKind::Scalar;
    if (node.kind == NodeKind::Scalar) node.scalar = text;
    if (node.kind == NodeKind::Scalar || text.empty()) return node;
    if (text.ends_with(',')) text.remove_suffix(1);
    for (const std::string_view item : split(text, ','))
        node.children.push_back(is_map ? entry_from_text(trimmed(item))
                                       : SourceNode{.kind = NodeKind::Scalar, .scalar = std::string(trimmed(item))});
    return node;
}

std::string allowed_values(const Option& option) {
    if (!option.form.empty()) return std::string(option.form);
    return allowed_by_type(option) + (option.nullable ? ", or null" : "");
}

std::string written(const Option& option, const Value& value) {
    if (option.type == OptionType::StoreUrl) return mask_password(std::get<std::string>(value));
    if (option.type == OptionType::Size && std::holds_alternative<std::int64_t>(value))
        return size_text(std::get<std::int64_t>(value));
    std::vector<std::string> items;
    if (const auto* names = std::get_if<std::vector<std::string>>(&value)) {
        std::ranges::transform(*names, std::back_inserter(items), written_name);
        return concat('[', join(items, ", "), ']');
    }
    if (const auto* durations = std::get_if<std::vector<Duration>>(&value)) {
        for (const Duration duration : *durations) items.push_back(duration_text(option, duration));
        return concat('[', join(items, ", "), ']');
    }
    if (const auto* texts = std::get_if<std::map<std::string, std::string>>(&value)) {
        for (const auto& [name, text] : *texts) items.push_back(concat(written_name(name), ": ", written_name(text)));
        return concat('{', join(items, ", "), '}');
    }
    if (const auto* text = std::get_if<std::string>(&value)) return written_name(*text);
    if (const auto* duration = std::get_if<Duration>(&value)) return duration_text(option, *duration);
    return std::holds_alternative<std::monostate>(value) ? "null" : core::plain_text(value);
}

}  // namespace holdfast::config
