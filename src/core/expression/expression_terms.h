#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/result.h"

/// What the lexer, the parser and the evaluator of expressions have in common with their callers.
namespace holdfast::core {

/// What went wrong, and where: a byte offset into the text that was parsed, from 0.
struct ExpressionError {
    std::size_t position = 0;
    std::string message = {};
    bool operator==(const ExpressionError&) const = default;
};

/// Where the values come from; asked only for what the expression names and its evaluation reaches.
class ExpressionScope {
public:
    virtual ~ExpressionScope() = default;
    /// The value of a path's first parts: {"input"}, {"item"}, {"index"}, {"job"}, {"steps", "fetch", "output"},
    /// {"steps", "fetch", "status"}, ... For `steps` three parts are handed over at once, else one.
    /// nullopt: the name does not exist.
    [[nodiscard]] virtual std::optional<nlohmann::json> find(const std::vector<std::string>& name) const = 0;
};

struct ExpressionLimits {
    static constexpr std::size_t max_text_bytes = 64 * 1024;
    static constexpr std::size_t max_nesting = 64;
    /// Of every value that an evaluation handles, about as it would be written in JSON.
    static constexpr std::size_t max_value_bytes = 1024 * 1024;
    static constexpr std::size_t max_value_nesting = 256;
};

/// What `when`, `and`, `or` and `not` take for true: everything but false, null, 0, "", [], {} and the texts "false",
/// "0", "null" and "none" in any case.
[[nodiscard]] bool is_true(const nlohmann::json& value);

}  // namespace holdfast::core
