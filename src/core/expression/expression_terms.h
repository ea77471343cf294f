#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/result.h"

/// Terms that the lexer, the parser and the evaluator of expressions share with their callers.
namespace holdfast::core {

/// The message of an error and its position: a byte offset into the parsed text, from 0.
struct ExpressionError {
    std::size_t position = 0;
    std::string message = {};
    bool operator==(const ExpressionError&) const = default;
};

/// Supplies the values of names. The evaluator asks only for names that the expression mentions and its evaluation
/// reaches.
class ExpressionScope {
public:
    virtual ~ExpressionScope() = default;
    /// Returns the value of a path's first parts: {"input"}, {"item"}, {"index"}, {"job"}, {"steps", "fetch",
    /// "output"}, {"steps", "fetch", "status"}, ... The evaluator passes three parts for `steps`, else one. Returns
    /// nullopt when the name does not exist.
    [[nodiscard]] virtual std::optional<nlohmann::json> find(const std::vector<std::string>& name) const = 0;
};

struct ExpressionLimits {
    static constexpr std::size_t max_text_bytes = 64 * 1024;
    static constexpr std::size_t max_nesting = 64;
    /// The limit for every value that an evaluation handles, measured roughly as its length in JSON.
    static constexpr std::size_t max_value_bytes = 1024 * 1024;
    static constexpr std::size_t max_value_nesting = 256;
};

/// Whether `when`, `and`, `or` and `not` take the value as true: every value except false, null, 0, "", [], {} and
/// the texts "false", "0", "null" and "none" in any letter case.
[[nodiscard]] bool is_true(const nlohmann::json& value);

}  // namespace holdfast::core
