#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast::cli {

// Parse the values of options. Each function throws BadInput with the option, the value and the allowed values.

[[nodiscard]] int read_whole_number(std::string_view option, const std::string& text);
/// Parses --limit: the maximum number of lines of a list.
[[nodiscard]] std::size_t read_limit(const std::string& text);
[[nodiscard]] double read_number(std::string_view option, const std::string& text);
[[nodiscard]] Uuid read_uuid(std::string_view option, const std::string& text);
/// Parses a duration; a plain number counts in seconds. At most a hundred years, so that it can be added to any
/// clock.
[[nodiscard]] Duration read_duration(std::string_view option, const std::string& text);
/// Returns nullopt for an empty text: the option was not given.
[[nodiscard]] std::optional<Duration> read_duration_if_given(std::string_view option, const std::string& text);
/// Parses a time in RFC 3339, or "+30m" relative to `now`.
[[nodiscard]] Timestamp read_moment(std::string_view option, const std::string& text, Timestamp now);

/// Reads the JSON text of `option`: given literally, as `@FILE`, or as `-` for standard input. A text that is not
/// JSON is refused with line and column.
[[nodiscard]] std::string read_json(std::string_view option, const std::string& given, std::istream& in);
/// Reads a text: given literally, or as `@FILE`.
[[nodiscard]] std::string read_text(std::string_view option, const std::string& given);

[[noreturn]] void refuse_word(std::string_view option, const std::string& text,
                              const std::vector<std::string>& allowed);

/// Returns the value with this word, in any letter case.
template <Worded Enum, typename Values = decltype(values_of<Enum>())>
[[nodiscard]] Enum read_word(std::string_view option, const std::string& text,
                             const Values& values = values_of<Enum>()) {
    std::vector<std::string> allowed;
    for (const Enum value : values) {
        allowed.push_back(lower_case(word_of(value)));
        if (lower_case(text) == allowed.back()) return value;
    }
    refuse_word(option, text, allowed);
}

template <Worded Enum>
[[nodiscard]] std::vector<Enum> read_words(std::string_view option, const std::vector<std::string>& texts) {
    std::vector<Enum> values;
    for (const std::string& text : texts) values.push_back(read_word<Enum>(option, text));
    return values;
}

/// Returns " (did you mean 'submit'?)", or "" when no candidate is similar.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace holdfast::cli
