#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace holdfast::store {

/// How lists stand in text columns.
[[nodiscard]] std::string encode_strings(const std::vector<std::string>& strings);  ///< ["a","b"]
[[nodiscard]] std::vector<std::string> decode_strings(std::string_view json);

/// [{"age_us":12,"lease":7,"pid":4711,"running":true,"task":"0192..."}]
[[nodiscard]] std::string encode_held(const std::vector<HeldLease>& held);
[[nodiscard]] std::vector<HeldLease> decode_held(std::string_view json);

[[noreturn]] void refuse_word(std::string_view text, const std::string& expected);

/// The inverse of word_of, for what a database says. Unknown text throws Unusable: the row contradicts the schema.
template <Worded Enum>
[[nodiscard]] Enum read_word(std::string_view text) {
    if (const auto value = parse_word<Enum>(text)) return *value;
    refuse_word(text, words_to_choose<Enum>());
}

}  // namespace holdfast::store
