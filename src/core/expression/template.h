#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/expression/expression.h"
#include "holdfast/result.h"

namespace holdfast::core {

/// An error in one text of a template. The position counts in that text, from 0.
struct TemplateError {
    std::string path = {};  ///< JSON pointer to the text: "/env/DB"; "" for the value itself.
    ExpressionError error = {};
    bool operator==(const TemplateError&) const = default;
};

/// A JSON value in whose texts `{{ ... }}` stand; keys of objects are left as they are. A text that is one whole
/// expression keeps the JSON type of its value; in a longer text, texts are filled in as they are, everything else as
/// JSON. Immutable, cheap to copy.
class Template {
public:
    static constexpr std::size_t max_nesting = 64;

    /// All that is wrong, in the order of the value.
    [[nodiscard]] static Result<Template, std::vector<TemplateError>> parse(const nlohmann::json& value);

    /// The value with every expression replaced by what it stands for; the first error when one cannot be, or when
    /// all that was filled in is larger than Expression::max_value_bytes.
    [[nodiscard]] Result<nlohmann::json, TemplateError> fill(const ExpressionScope& scope) const;

    /// Every name that its expressions mention, with the text and the position there.
    [[nodiscard]] std::vector<Reference> references() const;

    /// No expression in it: it fills to itself, whatever the scope.
    [[nodiscard]] bool is_constant() const;

private:
    struct Content;
    explicit Template(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

    std::shared_ptr<const Content> content_;
};

}  // namespace holdfast::core
