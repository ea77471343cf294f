#include "core/option.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/json_text.h"

namespace holdfast::core {

namespace {

using nlohmann::json;
using Reading = Result<OptionValue, std::string>;
using std::chrono::milliseconds;

constexpr std::size_t max_durations = 100;

std::int64_t in_milliseconds(Duration duration) {
    return duration / milliseconds(1);
}

bool is_duration(const Option& option) {
    return option.type == OptionType::Duration || option.type == OptionType::DurationList;
}

double hundredth(std::int64_t count) {
    return static_cast<double>(count) / 100;
}

// ---- Ranges: one for each kind of value ---------------------------------------------------------------------------

std::string defect_of(const Option& option, std::string_view name, std::int64_t count) {
    if (count >= option.range.least && count <= option.range.most) return {};
    return concat(name, " must be ", concat("a whole number from ", range_text(option)), ", not ", count);
}

std::string defect_of(const Option& option, std::string_view name, double number) {
    if (number >= hundredth(option.range.least) && number <= hundredth(option.range.most))
        return {};  // false for NaN
    return concat(name, " must be ", concat("a number from ", range_text(option)), ", not ", number);
}

std::string defect_of(const Option& option, std::string_view name, Duration duration) {
    const Duration least(option.range.least), most(option.range.most);
    if (duration >= least && duration <= most && duration % milliseconds(1) == Duration(0)) return {};
    return concat(name, " must be from ", range_text(option), " in whole milliseconds, not ",
                  format_duration(duration));
}

std::string too_many(std::string_view name, std::size_t most, std::size_t count) {
    return concat(name, " must have at most ", most, " members, not ", count);
}

std::string defect_of(const Option& option, std::string_view name, const std::vector<Duration>& durations) {
    if (durations.size() > max_durations) return too_many(name, max_durations, durations.size());
    for (std::size_t i = 0; i < durations.size(); ++i)
        if (std::string defect = defect_of(option, concat(name, '[', i, ']'), durations[i]); !defect.empty())
            return defect;
    return {};
}

std::string defect_of(const Option& option, std::string_view name, const std::vector<std::string>& items) {
    const auto most = static_cast<std::size_t>(option.range.most);
    if (items.size() > most) return too_many(name, most, items.size());
    if (option.type != OptionType::NameList) return {};
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (const auto defect = text_defect(items[i])) return concat(name, '[', i, "] ", *defect);
        if (items[i].empty() || items[i].size() > max_name_bytes)
            return concat(name, '[', i, "] must have 1 to ", max_name_bytes, " bytes, not ", items[i].size());
    }
    return {};
}

std::string defect_of(const Option& option, std::string_view name, const std::map<std::string, std::string>& texts) {
    const auto most = static_cast<std::size_t>(option.range.most);
    return texts.size() > most ? too_many(name, most, texts.size()) : std::string();
}

/// Words were found among those of the option, and the rest has no range.
template <typename Other>
std::string defect_of(const Option&, std::string_view, const Other&) {
    return {};
}

// ---- Stored values ------------------------------------------------------------------------------------------------

std::string unlike(std::string_view name, std::string_view allowed, const json& value) {
    return concat(name, " must be ", allowed, ", not ", found(value));
}

std::string allowed_milliseconds(const Option& option) {
    return concat("from ", in_milliseconds(Duration(option.range.least)), " to ",
                  in_milliseconds(Duration(option.range.most)), " whole milliseconds (",
                  format_duration(Duration(option.range.most)), ")");
}

/// nullopt for a value that is not a whole number, or too large for 64 bits.
std::optional<std::int64_t> integer_in(const json& value) {
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    return value.get<std::int64_t>();
}

Reading read_count(const Option& option, std::string_view name, const json& value) {
    const auto count = integer_in(value);
    if (!count) return Failure{unlike(name, concat("a whole number from ", range_text(option)), value)};
    return OptionValue(*count);
}

/// Compared in milliseconds: the multiplication could overflow.
Reading read_duration(const Option& option, std::string_view name, const json& value) {
    const auto count = integer_in(value);
    const bool fits = count && *count >= in_milliseconds(Duration(option.range.least)) &&
                      *count <= in_milliseconds(Duration(option.range.most));
    if (!fits) return Failure{unlike(name, allowed_milliseconds(option), value)};
    return OptionValue(Duration(milliseconds(*count)));
}

Reading read_durations(const Option& option, std::string_view name, const json& value) {
    if (!value.is_array()) return Failure{unlike(name, "a list of whole milliseconds", value)};
    std::vector<Duration> durations;
    for (const json& item : value) {
        auto duration = read_duration(option, concat(name, '[', durations.size(), ']'), item);
        if (!duration.ok()) return duration;
        durations.push_back(std::get<Duration>(duration.value()));
    }
    return OptionValue(std::move(durations));
}

Reading read_texts(std::string_view name, const json& value) {
    if (!value.is_array()) return Failure{unlike(name, "a list of texts", value)};
    std::vector<std::string> texts;
    for (const json& item : value) {
        if (!item.is_string()) return Failure{unlike(concat(name, '[', texts.size(), ']'), "a text in quotes", item)};
        texts.push_back(item.get<std::string>());
    }
    return OptionValue(std::move(texts));
}

Reading read_text_map(std::string_view name, const json& value) {
    if (!value.is_object()) return Failure{unlike(name, "an object of texts", value)};
    std::map<std::string, std::string> texts;
    for (const auto& [key, item] : value.items()) {
        if (!item.is_string()) return Failure{unlike(name, "an object of texts", value)};
        texts.emplace(key, item.get<std::string>());
    }
    return OptionValue(std::move(texts));
}

Reading read_choice(const Option& option, std::string_view name, const json& value) {
    for (const std::string& word : option.words)
        if (value == word) return OptionValue(word);
    std::string allowed;
    for (const std::string& word : option.words)
        allowed += concat(allowed.empty() ? "" : word == option.words.back() ? " or " : ", ", '"', word, '"');
    return Failure{unlike(name, allowed, value)};
}

Reading read_by_type(const Option& option, std::string_view name, const json& value) {
    switch (option.type) {
        case OptionType::Boolean:
            if (!value.is_boolean()) return Failure{unlike(name, "true or false", value)};
            return OptionValue(value.get<bool>());
        case OptionType::Count:
        case OptionType::Size:
            return read_count(option, name, value);
        case OptionType::Number:
            if (!value.is_number()) return Failure{unlike(name, concat("a number from ", range_text(option)), value)};
            return OptionValue(value.get<double>());
        case OptionType::Duration:
            return read_duration(option, name, value);
        case OptionType::DurationList:
            return read_durations(option, name, value);
        case OptionType::Choice:
            return read_choice(option, name, value);
        case OptionType::NameList:
        case OptionType::TextList:
            return read_texts(name, value);
        case OptionType::TextMap:
            return read_text_map(name, value);
        case OptionType::Name:
        case OptionType::Text:
        case OptionType::StoreUrl:
            break;
    }
    if (!value.is_string()) return Failure{unlike(name, "a text", value)};
    return OptionValue(value.get<std::string>());
}

// ---- Texts and JSON: one for each kind of value -------------------------------------------------------------------

std::string text_of(std::monostate) {
    return {};
}
std::string text_of(bool flag) {
    return flag ? "true" : "false";
}
std::string text_of(Duration duration) {
    return format_duration(duration);
}
std::string text_of(const std::string& text) {
    return text;
}
std::string text_of(const std::vector<std::string>& items) {
    return join(items, ", ");
}
std::string text_of(const std::vector<Duration>& durations) {
    std::vector<std::string> texts;
    for (const Duration duration : durations) texts.push_back(format_duration(duration));
    return join(texts, ", ");
}
std::string text_of(const std::map<std::string, std::string>& texts) {
    std::vector<std::string> items;
    for (const auto& [name, text] : texts) items.push_back(concat(name, "=", text));
    return join(items, ", ");
}
template <typename Number>
std::string text_of(Number number) {
    return concat(number);
}

json json_of(std::monostate) {
    return nullptr;
}
json json_of(Duration duration) {
    return in_milliseconds(duration);
}
json json_of(const std::vector<Duration>& durations) {
    json list = json::array();
    for (const Duration duration : durations) list.push_back(in_milliseconds(duration));
    return list;
}
template <typename Other>
json json_of(const Other& other) {
    return other;
}

}  // namespace

std::vector<std::string> offered_words(const Option& option) {
    std::vector<std::string> words = option.words;
    std::erase(words, option.internal_word);
    return words;
}

std::string plain_text(const OptionValue& value) {
    return std::visit([](const auto& held) { return text_of(held); }, value);
}

std::string range_text(const Option& option) {
    const auto [least, most] = option.range;
    if (is_duration(option)) return concat(format_duration(Duration(least)), " to ", format_duration(Duration(most)));
    if (option.type == OptionType::Number) return concat(hundredth(least), " to ", hundredth(most));
    return concat(least, " to ", most);
}

std::string range_defect(const Option& option, std::string_view name, const OptionValue& value) {
    return std::visit([&](const auto& held) { return defect_of(option, name, held); }, value);
}

std::string stored_name(const Option& option) {
    return concat(option.name, is_duration(option) ? "_ms" : option.type == OptionType::Size ? "_bytes" : "");
}

json stored_json(const OptionValue& value) {
    return std::visit([](const auto& held) { return json_of(held); }, value);
}

Result<OptionValue, std::string> read_stored(const Option& option, const json& value) {
    const std::string name = stored_name(option);
    auto reading = read_by_type(option, name, value);
    if (!reading.ok()) return reading;
    if (std::string defect = range_defect(option, name, reading.value()); !defect.empty()) return Failure{defect};
    return reading;
}

}  // namespace holdfast::core
