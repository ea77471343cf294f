#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "holdfast/result.h"

namespace holdfast::core::expression {

/// The weakest first; operators of one precedence follow one another.
enum class Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
};
constexpr auto words_of(Operator) {
    using enum Operator;
    return words<Operator>({{Or, "or"},
                            {And, "and"},
                            {Equal, "=="},
                            {NotEqual, "!="},
                            {Less, "<"},
                            {LessOrEqual, "<="},
                            {Greater, ">"},
                            {GreaterOrEqual, ">="},
                            {Add, "+"},
                            {Subtract, "-"},
                            {Multiply, "*"},
                            {Divide, "/"},
                            {Remainder, "%"}});
}

/// A value, or one sentence that explains the error.
using Answer = Result<nlohmann::json, std::string>;

/// "a text", "a number", "a boolean", "null", "a list", "an object".
[[nodiscard]] std::string_view kind_of(const nlohmann::json& value);

/// A text as it is, everything else as JSON.
[[nodiscard]] std::string text_of(const nlohmann::json& value);

/// Whether the values are equal. Numbers are compared by value, independent of their storage type.
[[nodiscard]] bool equal(const nlohmann::json& left, const nlohmann::json& right);

/// Returns the result of a comparison or an arithmetic operation. The evaluator handles Or and And itself, because it
/// may have to skip their right side.
[[nodiscard]] Answer apply(Operator op, nlohmann::json left, const nlohmann::json& right);

[[nodiscard]] Answer negated(const nlohmann::json& value);

/// The approximate length of the value as JSON.
[[nodiscard]] std::size_t size_of(const nlohmann::json& value);

/// Explains why a value is too large or too deep to be handled; nullopt when it is within the limits. Looks no deeper
/// than the limit.
[[nodiscard]] std::optional<std::string> size_defect(const nlohmann::json& value);

/// The sentence that size_defect returns for a value that is too large.
[[nodiscard]] std::string too_large();

/// A function of the language whose result depends only on its arguments. (`default` is part of the parser instead.)
struct Function {
    std::string_view name;
    std::size_t arity;
    std::string_view usage;
    Answer (*call)(const std::vector<nlohmann::json>& arguments);
};

/// Returns the function of that name; nullptr when it does not exist.
[[nodiscard]] const Function* find_function(std::string_view name);

}  // namespace holdfast::core::expression
