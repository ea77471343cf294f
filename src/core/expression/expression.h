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

/// What went wrong, and where: a byte offset into the text that was parsed, from 0.
struct ExpressionError {
    std::size_t position = 0;
    std::string message = {};
    bool operator==(const ExpressionError&) const = default;
};

/// A name that an expression mentions: its parts as written, a list's index as its digits.
struct Reference {
    std::vector<std::string> path = {};
    std::size_t position = 0;
    std::string text_path = {};  ///< Which text of a template, as a JSON pointer; empty for a mere expression.
    bool operator==(const Reference&) const = default;
};

/// Where the values come from; asked only for what the expression names and its evaluation reaches.
class ExpressionScope {
public:
    virtual ~ExpressionScope() = default;
    /// The value of a path's first parts: {"input"}, {"item"}, {"index"}, {"job"}, {"steps", "fetch", "output"},
    /// {"steps", "fetch", "status"}, ... For `steps` three parts are handed over at once, else one.
    /// nullopt: there is no such name.
    [[nodiscard]] virtual std::optional<nlohmann::json> find(const std::vector<std::string>& name) const = 0;
};

/// A parsed expression (docs/expressions.md is the language): immutable, cheap to copy.
/// Total: every text is parsed or refused, and every evaluation ends with a value or an error, in bounded space.
class Expression {
public:
    static constexpr std::size_t max_text_bytes = 64 * 1024;
    static constexpr std::size_t max_nesting = 64;
    /// Of every value that an evaluation handles, about as it would be written in JSON.
    static constexpr std::size_t max_value_bytes = 1024 * 1024;
    static constexpr std::size_t max_value_nesting = 256;

    /// `text` is the inside of {{ }}.
    [[nodiscard]] static Result<Expression, ExpressionError> parse(std::string_view text);

    [[nodiscard]] Result<nlohmann::json, ExpressionError> evaluate(const ExpressionScope& scope) const;

    /// Every name it mentions, in the order of the text; at least three parts for those that begin with `steps`.
    [[nodiscard]] std::vector<Reference> references() const;

private:
    explicit Expression(std::shared_ptr<const expression::Node> root) : root_(std::move(root)) {}

    std::shared_ptr<const expression::Node> root_;
};

/// What `when`, `and`, `or` and `not` take for true: everything but false, null, 0, "", [], {} and the texts "false",
/// "0", "null" and "none" in any case.
[[nodiscard]] bool is_true(const nlohmann::json& value);

}  // namespace holdfast::core
