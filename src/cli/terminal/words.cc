#include "cli/terminal/words.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace holdfast::cli {

namespace {

/// Long enough for every use, and short enough to be added to any clock without overflow.
constexpr Duration longest_duration = std::chrono::days(36'500);

template <typename Number>
std::optional<Number> whole_text_as(const std::string& text) {
    Number number{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

[[noreturn]] void refuse(std::string_view option, const std::string& text, std::string_view complaint) {
    throw BadInput(fmt::format("{}: '{}' {}", option, text, complaint));
}

}  // namespace

int read_whole_number(std::string_view option, const std::string& text) {
    if (const auto number = whole_text_as<int>(text)) return *number;
    refuse(option, text, "is not a whole number");
}

std::size_t read_limit(const std::string& text) {
    const int limit = read_whole_number("--limit", text);
    if (limit < 1 || limit > 1000) throw BadInput(fmt::format("--limit: '{}' is not within 1 to 1000", text));
    return static_cast<std::size_t>(limit);
}

double read_number(std::string_view option, const std::string& text) {
    if (const auto number = whole_text_as<double>(text)) return *number;
    refuse(option, text, "is not a number");
}

Uuid read_uuid(std::string_view option, const std::string& text) {
    if (const auto id = Uuid::parse(text)) return *id;
    refuse(option, text, "is not a UUID of 36 characters");
}

Duration read_duration(std::string_view option, const std::string& text) {
    if (const auto length = parse_duration(text, std::chrono::seconds(1))) {
        if (*length <= longest_duration) return *length;
        refuse(option, text, "is too long: at most 36500d");
    }
    refuse(option, text, "is not a duration; write for example 30s, 5m, 1h30m, or seconds as a plain number");
}

std::optional<Duration> read_duration_if_given(std::string_view option, const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(read_duration(option, text));
}

Timestamp read_moment(std::string_view option, const std::string& text, Timestamp now) {
    if (text.starts_with('+')) return now + read_duration(option, text.substr(1));
    if (const auto moment = parse_timestamp(text)) return *moment;
    refuse(option, text, "is not a time; write for example 2030-01-31T08:30:00Z, or +30m from now");
}

void refuse_word(std::string_view option, const std::string& text, const std::vector<std::string>& allowed) {
    throw BadInput(fmt::format("{}: '{}' is not one of {}{}", option, text, join(allowed, ", "),
                               suggestion(lower_case(text), allowed)));
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
    const auto nearest = nearest_word(word, candidates);
    return nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : "";
}

}  // namespace holdfast::cli
