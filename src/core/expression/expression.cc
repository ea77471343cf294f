#include "core/expression/expression.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "core/expression/node.h"

namespace holdfast::core {

namespace {

using namespace expression;

/// Collects the paths below a node. Its recursion is bounded by the nesting that the parser allows.
class ReferenceCollector {
public:
    std::vector<Reference> found;

    void visit(const Node& node) {
        std::visit([&](const auto& form) { look_at(form); }, node.form);
    }

private:
    void look_at(const Literal&) {}
    void look_at(const Path& path) {
        Reference reference{.path = {}, .position = path.parts.front().position};
        for (const PathPart& part : path.parts) reference.path.push_back(part.name);
        found.push_back(std::move(reference));
    }
    void look_at(const Default& form) {
        look_at(form.path);
        visit(*form.fallback);
    }
    void look_at(const List& list) { visit_all(list.members); }
    void look_at(const Call& call) { visit_all(call.arguments); }
    void look_at(const Unary& form) { visit(*form.operand); }
    void look_at(const Chain& chain) {
        visit(*chain.first);
        for (const Link& link : chain.links) visit(*link.operand);
    }
    void visit_all(const std::vector<NodePtr>& nodes) {
        for (const NodePtr& node : nodes) visit(*node);
    }
};

bool is_false_word(const std::string& text) {
    constexpr std::array<std::string_view, 5> words = {"", "false", "0", "null", "none"};
    return std::ranges::find(words, lower_case(text)) != words.end();
}

}  // namespace

Result<Expression, ExpressionError> Expression::parse(std::string_view text) {
    auto root = expression::parse(text);
    if (!root.ok()) return Failure{root.error()};
    return Expression(std::move(root).value());
}

Result<nlohmann::json, ExpressionError> Expression::evaluate(const ExpressionScope& scope) const {
    return expression::evaluate(*root_, scope);
}

std::vector<Reference> Expression::references() const {
    ReferenceCollector collector;
    collector.visit(*root_);
    return std::move(collector.found);
}

bool is_true(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value != 0;
    if (value.is_string()) return !is_false_word(value.get_ref<const std::string&>());
    return !value.empty();  // null is empty
}

}  // namespace holdfast::core
