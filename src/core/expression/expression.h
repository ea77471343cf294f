#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression/expression_terms.h"

namespace holdfast::core {

namespace expression {
struct Node;
}

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
