#include "cli/terminal/words.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "holdfast/errors.h"

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

std::string read_all(std::istream& in) {
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string read_file(std::string_view option, const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text = file ? read_all(file) : "";
    if (!file) throw BadInput(fmt::format("{}: cannot read {}: {}", option, path, std::strerror(errno)));
    return text;
}

// Removes the library's prefix from "[json.exception.parse_error.101] parse error at line 1, column 5: ...".
std::string readable(const nlohmann::json::exception& fault) {
    const std::string text = fault.what();
    const auto end_of_tag = text.find("] ");
    return end_of_tag == std::string::npos ? text : text.substr(end_of_tag + 2);
}

void require_json(std::string_view option, const std::string& text, std::string_view where) {
    try {
        // Parsed in full, because json::accept() does not report the position of the fault.
        [[maybe_unused]] const auto value = nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& fault) {
        throw BadInput(fmt::format("{}: {} is not JSON: {}", option, where, readable(fault)));
    }
    if (const auto fault = core::json_fault(text))
        throw BadInput(fmt::format("{}: {} {}", option, fault->where, fault->problem));
}

}  // namespace

int read_whole_number(std::string_view option, const std::string& text) {
    if (const auto number = whole_text_as<int>(text)) return *number;
    refuse(option, text, "is not a whole number");
}

std::size_t read_limit(const std::string& text) {
    const int limit = read_whole_number("--limit", text);
    if (limit < 1 || limit > 1000) refuse("--limit", text, "is not within 1 to 1000");
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

std::string read_json(std::string_view option, const std::string& given, std::istream& in) {
    std::string text = given;
    std::string where = "the value";
    if (given == "-") {
        text = read_all(in);
        where = "standard input";
    } else if (given.starts_with('@')) {
        text = read_file(option, given.substr(1));
        where = given.substr(1);
    }
    require_json(option, text, where);
    return std::string(trimmed(text));  // without the newline at the end of a file or a pipe
}

std::string read_text(std::string_view option, const std::string& given) {
    return given.starts_with('@') ? read_file(option, given.substr(1)) : given;
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
