#pragma once

#include "core/expression/expression_terms.h"
#include "core/expression/node.h"

namespace holdfast::core::expression {

[[nodiscard]] Result<nlohmann::json, ExpressionError> evaluate(const Node& node, const ExpressionScope& scope);

}  // namespace holdfast::core::expression
