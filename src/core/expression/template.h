#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/expression/expression.h"
#include "holdfast/result.h"

namespace holdfast::core {

/// An error in one text of a template. The position is a byte offset into that text, from 0.
struct TemplateError {
    std::string path = {};  ///< JSON pointer to the text: "/env/DB"; "" for the value itself.
    ExpressionError error = {};
    bool operator==(const TemplateError&) const = default;
};

/// A JSON value whose texts may contain `{{ ... }}`; the keys of objects stay as they are. A text that consists of
/// one expression takes the JSON type of its value. In a longer text, a text value is inserted as it is and every
/// other value as JSON. Immutable, cheap to copy.
class Template {
public:
    static constexpr std::size_t max_nesting = 64;

    /// Parses every text of the value; the error lists all faults, in the order of the value.
    [[nodiscard]] static Result<Template, std::vector<TemplateError>> parse(const nlohmann::json& value);

    /// Returns the value with every expression replaced by its result. Returns the first error when an expression
    /// fails, or when the inserted values together exceed Expression::max_value_bytes.
    [[nodiscard]] Result<nlohmann::json, TemplateError> fill(const ExpressionScope& scope) const;

    /// Every name that the expressions mention, with its text and its position there.
    [[nodiscard]] std::vector<Reference> references() const;

    /// Whether the template has no expressions, so that it fills to itself in every scope.
    [[nodiscard]] bool is_constant() const;

private:
    struct Content;
    explicit Template(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

    std::shared_ptr<const Content> content_;
};

}  // namespace holdfast::core
