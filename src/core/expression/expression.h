#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/result.h"

namespace holdfast::core {

namespace expression {
struct Node;
}

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

/// A name that an expression mentions: its parts as written; the index of a list as its digits.
struct Reference {
    std::vector<std::string> path = {};
    std::size_t position = 0;
    std::string text_path = {};  ///< The text of a template, as a JSON pointer; empty for a single expression.
    bool operator==(const Reference&) const = default;
};

/// A parsed expression; docs/expressions.md describes the language. Immutable, cheap to copy. Total: every text is
/// parsed or refused, and every evaluation ends with a value or an error, in bounded space.
class Expression : public ExpressionLimits {
public:
    /// Parses `text`, the part between {{ and }}. Returns an error with its position when the text is not an
    /// expression.
    [[nodiscard]] static Result<Expression, ExpressionError> parse(std::string_view text);

    [[nodiscard]] Result<nlohmann::json, ExpressionError> evaluate(const ExpressionScope& scope) const;

    /// Every name that the expression mentions, in the order of the text. A name that begins with `steps` has at
    /// least three parts.
    [[nodiscard]] std::vector<Reference> references() const;

private:
    explicit Expression(std::shared_ptr<const expression::Node> root) : root_(std::move(root)) {}

    std::shared_ptr<const expression::Node> root_;
};

}  // namespace holdfast::core
