#include <cstdint>

#include "base/text.h"
#include "core/expression/lexer.h"
#include "core/expression/node.h"

namespace holdfast::core::expression {

namespace {

bool is_keyword(std::string_view word) {
    return word == "and" || word == "or" || word == "not" || word == "true" || word == "false" || word == "null";
}

/// A recursive-descent parser with one function for each precedence. A function returns nullptr on a syntax error;
/// error_ keeps the first one.
class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    Result<NodePtr, ExpressionError> run() {
        if (next().kind == TokenKind::End) fail("expected an expression, as in {{ input.name }}");
        NodePtr root = expression();
        if (root && next().kind != TokenKind::End) fail_expecting("an operator or the end");
        if (error_) return Failure{*error_};
        return root;
    }

private:
    // ---- Tokens --------------------------------------------------------------------------------------------------

    [[nodiscard]] const Token& next() const { return tokens_[at_]; }

    /// Returns the token and advances; stays at End.
    const Token& take() { return next().kind == TokenKind::End ? next() : tokens_[at_++]; }

    [[nodiscard]] bool next_is(TokenKind kind, std::string_view word) const {
        return next().kind == kind && next().word == word;
    }

    bool take_if(TokenKind kind, std::string_view word) {
        if (!next_is(kind, word)) return false;
        take();
        return true;
    }

    [[nodiscard]] bool next_is_symbol(std::string_view word) const { return next_is(TokenKind::Symbol, word); }
    bool take_symbol(std::string_view word) { return take_if(TokenKind::Symbol, word); }

    /// The operator that comes next, if it is one of those from `first` to `last`.
    [[nodiscard]] std::optional<Operator> operator_from(Operator first, Operator last) const {
        if (next().kind != TokenKind::Symbol && next().kind != TokenKind::Name) return std::nullopt;
        const auto op = parse_word<Operator>(next().word);
        return op && *op >= first && *op <= last ? op : std::nullopt;
    }

    // ---- Complaints ----------------------------------------------------------------------------------------------

    std::nullptr_t fail_at(std::size_t position, std::string message) {
        if (!error_) error_ = ExpressionError{position, std::move(message)};
        return nullptr;
    }

    std::nullptr_t fail(std::string message) { return fail_at(next().position, std::move(message)); }

    std::nullptr_t fail_expecting(std::string_view what) {
        return fail(concat("expected ", what, ", not ", shown()));
    }

    [[nodiscard]] std::string shown() const {
        if (next().kind == TokenKind::End) return "the end";
        if (next().kind == TokenKind::Text) return "a text";
        return concat(next().kind == TokenKind::Member ? "." : "", next().word);
    }

    // ---- Nesting -------------------------------------------------------------------------------------------------

    /// Runs `read` one nesting level deeper and returns its node.
    template <typename Read>
    NodePtr nested(Read read) {
        if (depth_ == ExpressionLimits::max_nesting)
            return fail(concat("nested deeper than ", ExpressionLimits::max_nesting, " levels"));
        ++depth_;
        NodePtr node = read();
        --depth_;
        return node;
    }

    // ---- Precedences, the weakest first --------------------------------------------------------------------------

    NodePtr expression() {
        return nested([&] { return disjunction(); });
    }

    template <typename ReadOperand>
    NodePtr chain(Operator from, Operator to, ReadOperand read) {
        NodePtr first = read();
        std::vector<Link> links;
        while (const auto op = first ? operator_from(from, to) : std::nullopt) {
            const std::size_t position = take().position;
            NodePtr operand = read();
            if (!operand) return nullptr;
            links.push_back({*op, position, std::move(operand)});
        }
        if (links.empty()) return first;
        const std::size_t position = first->position;
        return node(position, Chain{std::move(first), std::move(links)});
    }

    NodePtr disjunction() {
        return chain(Operator::Or, Operator::Or, [&] { return conjunction(); });
    }

    NodePtr conjunction() {
        return chain(Operator::And, Operator::And, [&] { return inversion(); });
    }

    NodePtr inversion() {
        return next_is(TokenKind::Name, "not") ? unary(true, [&] { return inversion(); }) : comparison();
    }

    NodePtr comparison() {
        NodePtr first = sum();
        const auto op = first ? operator_from(Operator::Equal, Operator::GreaterOrEqual) : std::nullopt;
        if (!op) return first;
        const std::size_t position = take().position;
        NodePtr second = sum();
        if (!second) return nullptr;
        if (operator_from(Operator::Equal, Operator::GreaterOrEqual))
            return fail("comparisons do not follow one another; join them with and");
        const std::size_t begin = first->position;
        return node(begin, Chain{std::move(first), {{*op, position, std::move(second)}}});
    }

    NodePtr sum() {
        return chain(Operator::Add, Operator::Subtract, [&] { return product(); });
    }

    NodePtr product() {
        return chain(Operator::Multiply, Operator::Remainder, [&] { return negation(); });
    }

    NodePtr negation() {
        return next_is_symbol("-") ? unary(false, [&] { return negation(); }) : operand();
    }

    template <typename ReadOperand>
    NodePtr unary(bool is_not, ReadOperand read) {
        const std::size_t position = take().position;
        NodePtr inner = nested(read);
        return inner ? node(position, Unary{is_not, std::move(inner)}) : nullptr;
    }

    // ---- Operands ------------------------------------------------------------------------------------------------

    NodePtr operand() {
        if (next().kind == TokenKind::Number || next().kind == TokenKind::Text) return literal();
        if (next().kind == TokenKind::Name) return named();
        if (next_is_symbol("(")) return parenthesised();
        if (next_is_symbol("[")) return list();
        return fail_expecting("a value");
    }

    NodePtr literal() {
        const Token& token = take();
        return node(token.position, Literal{token.value});
    }

    NodePtr named() {
        const std::string& word = next().word;
        if (word == "true" || word == "false") return constant(word == "true");
        if (word == "null") return constant(nullptr);
        if (is_keyword(word)) return fail_expecting("a value");
        const Token& after = tokens_[at_ + 1];
        if (after.kind == TokenKind::Symbol && after.word == "(") return call();
        auto found = path();
        if (!found) return nullptr;
        const std::size_t position = found->parts.front().position;
        return node(position, std::move(*found));
    }

    NodePtr constant(nlohmann::json value) { return node(take().position, Literal{std::move(value)}); }

    NodePtr parenthesised() {
        take();
        NodePtr inner = expression();
        if (inner && !take_symbol(")")) return fail_expecting("an operator or )");
        return inner;
    }

    NodePtr list() {
        const std::size_t position = take().position;
        List list;
        if (!members_until("]", list.members)) return nullptr;
        return node(position, std::move(list));
    }

    /// Reads expressions with commas between them, and the closing symbol.
    bool members_until(std::string_view close, std::vector<NodePtr>& members) {
        if (take_symbol(close)) return true;
        do {
            NodePtr member = expression();
            if (!member) return false;
            members.push_back(std::move(member));
        } while (take_symbol(","));
        if (!take_symbol(close)) fail_expecting(concat("an operator, a comma or ", close));
        return !error_;
    }

    // ---- Functions -----------------------------------------------------------------------------------------------

    NodePtr call() {
        if (next().word == "default") return call_of_default();
        const Token& name = next();
        const Function* function = find_function(name.word);
        if (function == nullptr)
            return fail(
                concat("there is no function ", name.word, "; there are len, contains, json, join and default"));
        take();
        take();
        std::vector<NodePtr> arguments;
        if (!members_until(")", arguments)) return nullptr;
        if (arguments.size() != function->arity)
            return fail_at(name.position, concat("expected ", function->usage, ", not ", arguments.size(),
                                                 arguments.size() == 1 ? " argument" : " arguments"));
        return node(name.position, Call{function, std::move(arguments)});
    }

    NodePtr call_of_default() {
        constexpr std::string_view usage = "a path and a fallback, as in default(input.name, 'none')";
        const std::size_t position = take().position;
        take();
        if (next().kind != TokenKind::Name || is_keyword(next().word)) return fail_expecting(usage);
        auto found = path();
        if (!found) return nullptr;
        if (!take_symbol(",")) return fail_expecting(usage);
        NodePtr fallback = expression();
        if (fallback && !take_symbol(")")) return fail_expecting("an operator or )");
        return fallback ? node(position, Default{std::move(*found), std::move(fallback)}) : nullptr;
    }

    // ---- Paths ---------------------------------------------------------------------------------------------------

    std::optional<Path> path() {
        const Token& root = take();
        Path path{.parts = {{root.word, std::nullopt, root.position}}};
        while (next().kind == TokenKind::Member || next_is_symbol("["))
            if (!add_part(path.parts)) return std::nullopt;
        if (root.word == "steps" && !has_step(path.parts)) {
            fail_at(root.position, "expected a step and what of it is wanted, as in steps.NAME.output");
            return std::nullopt;
        }
        path.root_parts = root.word == "steps" ? 3 : 1;
        return path;
    }

    static bool has_step(const std::vector<PathPart>& parts) {
        return parts.size() >= 3 && !parts[1].index && !parts[2].index;
    }

    bool add_part(std::vector<PathPart>& parts) {
        const Token& opening = take();
        if (opening.kind == TokenKind::Member) {
            parts.push_back({opening.word, std::nullopt, opening.position});
            return true;
        }
        const Token& token = next();
        if (token.kind == TokenKind::Text)
            parts.push_back({token.value.get<std::string>(), std::nullopt, token.position});
        else if (token.kind == TokenKind::Number && token.value.is_number_unsigned())
            parts.push_back({token.word, token.value.get<std::uint64_t>(), token.position});
        else
            fail_expecting("a name in quotes or a whole number from 0");
        take();
        if (!take_symbol("]")) fail_expecting("]");
        return !error_;
    }

    template <typename Form>
    static NodePtr node(std::size_t position, Form form) {
        return std::make_shared<const Node>(Node{position, std::move(form)});
    }

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    std::optional<ExpressionError> error_;
};

}  // namespace

Result<NodePtr, ExpressionError> parse(std::string_view text) {
    if (text.size() > ExpressionLimits::max_text_bytes)
        return Failure{ExpressionError{
            ExpressionLimits::max_text_bytes,
            concat("an expression has at most ", ExpressionLimits::max_text_bytes, " bytes, not ", text.size())}};
    auto tokens = tokens_of(text);
    if (!tokens.ok()) return Failure{tokens.error()};
    return Parser(std::move(tokens).value()).run();
}

}  // namespace holdfast::core::expression
