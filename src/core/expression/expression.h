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

/// A name that an expression mentions: its parts as written, a list's index as its digits.
struct Reference {
    std::vector<std::string> path = {};
    std::size_t position = 0;
    std::string text_path = {};  ///< Which text of a template, as a JSON pointer; empty for a mere expression.
    bool operator==(const Reference&) const = default;
};

/// A parsed expression (docs/expressions.md is the language): immutable, cheap to copy.
/// Total: every text is parsed or refused, and every evaluation ends with a value or an error, in bounded space.
class Expression : public ExpressionLimits {
public:
    /// `text` is the inside of {{ }}.
    [[nodiscard]] static Result<Expression, ExpressionError> parse(std::string_view text);

    [[nodiscard]] Result<nlohmann::json, ExpressionError> evaluate(const ExpressionScope& scope) const;

    /// Every name it mentions, in the order of the text; at least three parts for those that begin with `steps`.
    [[nodiscard]] std::vector<Reference> references() const;

private:
    explicit Expression(std::shared_ptr<const expression::Node> root) : root_(std::move(root)) {}

    std::shared_ptr<const expression::Node> root_;
};

}  // namespace holdfast::core
