#pragma once

#include "core/expression.h"
#include "core/expression_node.h"

namespace holdfast::core::expression {

[[nodiscard]] Result<nlohmann::json, ExpressionError> evaluate(const Node& node, const ExpressionScope& scope);

}  // namespace holdfast::core::expression
