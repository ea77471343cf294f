#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast {

/// A row of an enumeration's table of words.
template <typename Enum>
struct Word {
    Enum value;
    std::string_view text;
};

/// Whether the enumeration of `value` names it: compilers print "(Scope)4" for a number that it does not name.
template <auto value>
consteval bool is_enumerator() {
    return std::string_view(__PRETTY_FUNCTION__).find("value = (") == std::string_view::npos;
}

/// Makes the table of words that stands beside an enumeration, the only place that spells them:
///
///     enum class Scope { Read, Admin };
///     constexpr auto words_of(Scope) { return words<Scope>({{Scope::Read, "read"}, {Scope::Admin, "admin"}}); }
///
/// Does not compile unless it has one row for each enumerator, in their order.
template <typename Enum, std::size_t count>
consteval std::array<Word<Enum>, count> words(const Word<Enum> (&rows)[count]) {
    static_assert(!is_enumerator<static_cast<Enum>(count)>(), "an enumerator has no word");
    for (std::size_t i = 0; i < count; ++i)
        if (rows[i].value != static_cast<Enum>(i)) throw "the rows do not follow the enumerators";
    return std::to_array(rows);
}

/// An enumeration with a table of words.
template <typename Enum>
concept Worded = requires(Enum value) {
    words_of(value);
};

template <Worded Enum>
inline constexpr auto word_table = words_of(Enum{});

/// The text of a value in a table that words() has made.
template <typename Enum, std::size_t count>
[[nodiscard]] constexpr std::string_view text_in(const std::array<Word<Enum>, count>& table, Enum value) {
    const auto row = static_cast<std::size_t>(value);
    HOLDFAST_ASSERT(row < count);
    return table[row].text;
}

template <Worded Enum>
[[nodiscard]] constexpr std::string_view word_of(Enum value) {
    return text_in(word_table<Enum>, value);
}

/// The value with this word; nullopt when there is none.
template <Worded Enum>
[[nodiscard]] constexpr std::optional<Enum> parse_word(std::string_view text) {
    for (const auto& row : word_table<Enum>)
        if (row.text == text) return row.value;
    return std::nullopt;
}

/// All values, in their order.
template <Worded Enum>
[[nodiscard]] constexpr auto values_of() {
    std::array<Enum, word_table<Enum>.size()> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Enum>(i);
    return values;
}

/// All words, in the order of their values.
template <Worded Enum>
[[nodiscard]] std::vector<std::string> all_words() {
    std::vector<std::string> all;
    for (const auto& row : word_table<Enum>) all.emplace_back(row.text);
    return all;
}

/// For messages: "read", "submit" or "admin", with the quotes.
template <Worded Enum>
[[nodiscard]] std::string words_to_choose() {
    std::string text;
    for (const auto& row : word_table<Enum>) {
        const bool is_first = &row == &word_table<Enum>.front(), is_last = &row == &word_table<Enum>.back();
        text += concat(is_first ? "" : is_last ? " or " : ", ", '"', row.text, '"');
    }
    return text;
}

}  // namespace holdfast
