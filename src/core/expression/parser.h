#pragma once

#include <string_view>

#include "core/expression/expression_terms.h"
#include "core/expression/node.h"

namespace holdfast::core::expression {

[[nodiscard]] Result<NodePtr, ExpressionError> parse(std::string_view text);

}  // namespace holdfast::core::expression
