#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/expression/expression.h"
#include "core/expression/operators.h"

namespace holdfast::core::expression {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Literal {
    nlohmann::json value;
};

struct PathPart {
    std::string name;                  ///< As written; an index as its digits.
    std::optional<std::size_t> index;  ///< When written as [0].
    std::size_t position = 0;
};

/// A name and members of its value: input.list[0].url. The scope resolves the first `root_parts` parts.
struct Path {
    std::vector<PathPart> parts;
    std::size_t root_parts = 1;
};

struct List {
    std::vector<NodePtr> members;
};

struct Call {
    const Function* function;
    std::vector<NodePtr> arguments;
};

/// default(path, fallback)
struct Default {
    Path path;
    NodePtr fallback;
};

/// not operand, -operand
struct Unary {
    bool is_not;
    NodePtr operand;
};

struct Link {
    Operator op;
    std::size_t position;
    NodePtr operand;
};

/// Operands joined by operators of one precedence, applied from left to right. A flat list, so that a long sum does
/// not become a deep tree.
struct Chain {
    NodePtr first;
    std::vector<Link> links;
};

struct Node {
    std::size_t position;
    std::variant<Literal, Path, List, Call, Default, Unary, Chain> form;
};

[[nodiscard]] Result<NodePtr, ExpressionError> parse(std::string_view text);
[[nodiscard]] Result<nlohmann::json, ExpressionError> evaluate(const Node& node, const ExpressionScope& scope);

}  // namespace holdfast::core::expression
