#include "base/text.h"
#include "core/expression/node.h"

namespace holdfast::core::expression {

namespace {

using nlohmann::json;
using Value = Result<json, ExpressionError>;

constexpr std::size_t max_names_shown = 10;

Value failed(std::size_t position, std::string message) {
    return Failure{ExpressionError{position, std::move(message)}};
}

/// Adds the position of the operation to its answer. An error when the answer is an error, or a value that is too
/// large or too deep.
Value located(Answer answer, std::size_t position) {
    if (!answer.ok()) return failed(position, answer.error());
    if (auto defect = size_defect(*answer)) return failed(position, std::move(*defect));
    return std::move(answer).value();
}

// ---- Paths -------------------------------------------------------------------------------------------------------

/// The first `parts` parts of a path, as the author wrote them.
std::string written(const Path& path, std::size_t parts) {
    std::string text = path.parts.front().name;
    for (std::size_t i = 1; i < parts; ++i) {
        const PathPart& part = path.parts[i];
        text += part.index ? concat('[', part.name, ']') : concat('.', part.name);
    }
    return text;
}

std::string members_shown(const json& object) {
    if (object.empty()) return "no members";
    std::vector<std::string> names;
    for (auto member = object.begin(); member != object.end() && names.size() < max_names_shown; ++member)
        names.push_back(member.key());
    return join(names, ", ") + (names.size() < object.size() ? ", ..." : "");
}

std::string content_shown(const json& value) {
    if (value.is_object()) return concat("has ", members_shown(value));
    if (value.is_array()) return concat("is a list of ", value.size());
    return concat("is ", kind_of(value));
}

json* member_of(json& value, const PathPart& part) {
    if (part.index) return value.is_array() && *part.index < value.size() ? &value[*part.index] : nullptr;
    if (!value.is_object()) return nullptr;
    const auto found = value.find(part.name);
    return found == value.end() ? nullptr : &*found;
}

std::optional<json> root_of(const Path& path, const ExpressionScope& scope) {
    std::vector<std::string> name;
    for (std::size_t i = 0; i < path.root_parts; ++i) name.push_back(path.parts[i].name);
    return scope.find(name);
}

constexpr std::string_view subtraction_advice = "; to subtract, put a space before the -";

ExpressionError unknown_name(const Path& path) {
    const bool has_minus = path.parts.front().name.find('-') != std::string::npos;
    return {path.parts.front().position,
            concat("there is no ", written(path, path.root_parts), has_minus ? subtraction_advice : "")};
}

ExpressionError missing_member(const Path& path, std::size_t part, const json& value) {
    const std::string& name = path.parts[part].name;
    const std::size_t minus = name.find('-');
    const bool is_subtraction =
        minus != std::string::npos && value.is_object() && value.contains(name.substr(0, minus));
    return {path.parts[part].position, concat("there is no ", written(path, part + 1), ": ", written(path, part), " ",
                                              content_shown(value), is_subtraction ? subtraction_advice : "")};
}

/// Returns the value that a path leads to; an error when a part of the path is missing.
Value followed(const Path& path, const ExpressionScope& scope) {
    auto root = root_of(path, scope);
    if (!root) return Failure{unknown_name(path)};
    json* value = &*root;
    for (std::size_t i = path.root_parts; i < path.parts.size(); ++i) {
        json* member = member_of(*value, path.parts[i]);
        if (member == nullptr) return Failure{missing_member(path, i, *value)};
        value = member;
    }
    // Moved, because a copy recurses and the depth of the value has not been checked yet.
    json taken = std::move(*value);
    return taken;
}

// ---- Forms -------------------------------------------------------------------------------------------------------

class Evaluator {
public:
    explicit Evaluator(const ExpressionScope& scope) : scope_(scope) {}

    Value operator()(const Node& node) {
        return std::visit([&](const auto& form) { return evaluate(form, node.position); }, node.form);
    }

private:
    static Value evaluate(const Literal& literal, std::size_t) { return literal.value; }

    Value evaluate(const Path& path, std::size_t position) {
        auto value = followed(path, scope_);
        if (!value.ok()) return value;
        return located(std::move(value).value(), position);
    }

    Value evaluate(const Default& form, std::size_t position) {
        auto value = followed(form.path, scope_);
        if (!value.ok() || value->is_null()) return (*this)(*form.fallback);
        return located(std::move(value).value(), position);
    }

    Value evaluate(const List& form, std::size_t position) {
        json list = json::array();
        std::size_t bytes = 0;
        for (const NodePtr& member : form.members) {
            auto value = (*this)(*member);
            if (!value.ok()) return value;
            bytes += size_of(*value);
            if (bytes > ExpressionLimits::max_value_bytes) return failed(position, too_large());
            list.push_back(std::move(value).value());
        }
        return located(std::move(list), position);
    }

    Value evaluate(const Call& call, std::size_t position) {
        std::vector<json> arguments;
        for (const NodePtr& argument : call.arguments) {
            auto value = (*this)(*argument);
            if (!value.ok()) return value;
            arguments.push_back(std::move(value).value());
        }
        return located(call.function->call(arguments), position);
    }

    Value evaluate(const Unary& form, std::size_t position) {
        auto value = (*this)(*form.operand);
        if (!value.ok()) return value;
        if (form.is_not) return json(!is_true(*value));
        return located(negated(*value), position);
    }

    Value evaluate(const Chain& chain, std::size_t) {
        const Operator op = chain.links.front().op;
        if (op == Operator::Or || op == Operator::And) return decide(chain, op == Operator::Or);
        auto value = (*this)(*chain.first);
        for (const Link& link : chain.links) {
            if (!value.ok()) return value;
            auto right = (*this)(*link.operand);
            if (!right.ok()) return right;
            value = located(apply(link.op, std::move(value).value(), *right), link.position);
        }
        return value;
    }

    /// Evaluates the operands up to the first one whose truth is `deciding`; the rest is skipped. Returns the truth
    /// of the last one evaluated.
    Value decide(const Chain& chain, bool deciding) {
        auto value = (*this)(*chain.first);
        for (const Link& link : chain.links) {
            if (!value.ok()) return value;
            if (is_true(*value) == deciding) return json(deciding);
            value = (*this)(*link.operand);
        }
        if (!value.ok()) return value;
        return json(is_true(*value));
    }

    const ExpressionScope& scope_;
};

}  // namespace

Result<json, ExpressionError> evaluate(const Node& node, const ExpressionScope& scope) {
    return Evaluator(scope)(node);
}

}  // namespace holdfast::core::expression
