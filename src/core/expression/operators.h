#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/result.h"

namespace holdfast::core::expression {

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

/// A value, or in one sentence why there is none.
using Answer = Result<nlohmann::json, std::string>;

/// "a text", "a number", "a boolean", "null", "a list", "an object".
[[nodiscard]] std::string_view kind_of(const nlohmann::json& value);

/// A text as it is, everything else as JSON.
[[nodiscard]] std::string text_of(const nlohmann::json& value);

/// The same value; numbers by what they count, whatever they are stored as.
[[nodiscard]] bool equal(const nlohmann::json& left, const nlohmann::json& right);

/// What a comparison or arithmetic gives. Not for Or and And, whose right side may not be looked at.
[[nodiscard]] Answer apply(Operator op, nlohmann::json left, const nlohmann::json& right);

[[nodiscard]] Answer negated(const nlohmann::json& value);

/// About how long the value would be as JSON.
[[nodiscard]] std::size_t size_of(const nlohmann::json& value);

/// Why a value is too large or too deep to be handled; nullopt when it is neither. Looks no deeper than the limit.
[[nodiscard]] std::optional<std::string> size_defect(const nlohmann::json& value);

/// What size_defect says of too large values.
[[nodiscard]] std::string too_large();

}  // namespace holdfast::core::expression
