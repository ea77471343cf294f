#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::core {

// JSON as text: arguments, inputs and results are kept and handed on as they were written, because a value in between
// would lose digits of its numbers. Positions below refer to that text.

/// What keeps JSON text from meaning the same to every reader.
struct JsonFault {
    std::string where = {};    ///< "args.items[3].count"; empty: the whole text
    std::string problem = {};  ///< "is not valid JSON, at byte 7", "is a number that is too large", "is given twice"
};
/// The first fault; nullopt for JSON in which each member of an object is there once and each number fits a double.
[[nodiscard]] std::optional<JsonFault> json_fault(std::string_view text);

/// One text for all that say the same: members sorted, no blanks, numbers by their exact value (1.0 is 1, 1e2 is
/// 100). Text that is not JSON is returned as it is.
[[nodiscard]] std::string canonical_json(std::string_view text);
[[nodiscard]] bool same_json(std::string_view left, std::string_view right);
/// One text for all ways to write the same number: "0", "-12e-3", "1e2".
[[nodiscard]] std::string canonical_number(std::string_view number);

// The parts of valid JSON, as they are written. Another kind of value has none.
using JsonMember = std::pair<std::string, std::string_view>;
[[nodiscard]] std::vector<JsonMember> json_members(std::string_view object);
[[nodiscard]] std::vector<std::string_view> json_elements(std::string_view array);
/// The value of that member; empty: there is none.
[[nodiscard]] std::string_view json_member(std::string_view object, std::string_view name);

/// The object with these members, each value as it is written.
[[nodiscard]] std::string json_object(const std::vector<std::pair<std::string, std::string>>& members);

/// `"fetch"`: a user's word in a message, escaped and short enough for a sentence.
[[nodiscard]] std::string in_quotes(std::string_view text);
/// The value as text for an error message, shortened to fit into a sentence.
[[nodiscard]] std::string found(const nlohmann::json& value);

}  // namespace holdfast::core
