#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "holdfast/errors.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast::cli {

// Values of options, read from what a person typed. Each throws BadInput with the option, the value and what is
// allowed.

[[nodiscard]] int read_whole_number(std::string_view option, const std::string& text);
/// Of --limit: how many lines a list may have.
[[nodiscard]] std::size_t read_limit(const std::string& text);
[[nodiscard]] double read_number(std::string_view option, const std::string& text);
[[nodiscard]] Uuid read_uuid(std::string_view option, const std::string& text);
/// A plain number counts in seconds. At most a hundred years, so that it can be added to any clock.
[[nodiscard]] Duration read_duration(std::string_view option, const std::string& text);
/// nullopt for an empty text: the option was not given.
[[nodiscard]] std::optional<Duration> read_duration_if_given(std::string_view option, const std::string& text);
/// RFC 3339, or "+30m" from `now`.
[[nodiscard]] Timestamp read_moment(std::string_view option, const std::string& text, Timestamp now);

[[noreturn]] void refuse_word(std::string_view option, const std::string& text,
                              const std::vector<std::string>& allowed);

/// The one of the values whose word this is, in any letter case.
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

/// " (did you mean 'submit'?)", or "" when nothing is near.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace holdfast::cli
