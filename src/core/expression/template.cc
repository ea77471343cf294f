#include "core/expression/template.h"

#include "base/text.h"
#include "core/expression/lexer.h"
#include "core/expression/operators.h"

namespace holdfast::core {

namespace {

using nlohmann::json;
using Pointer = json::json_pointer;

constexpr std::string_view opening = "{{";
constexpr std::string_view closing = "}}";
constexpr auto npos = std::string_view::npos;

/// A section of a text: literal text, or an expression and the offset at which its inside begins.
struct Piece {
    std::string text = {};
    std::optional<Expression> expression = {};
    std::size_t offset = 0;
};

/// A text with at least one expression in it.
struct Slot {
    Pointer place;
    std::vector<Piece> pieces;
};

/// The offset of the }} that ends the expression beginning at `from`; a }} inside quotes is skipped.
std::size_t find_closing(std::string_view text, std::size_t from) {
    for (std::size_t at = from; at < text.size();) {
        if (text.substr(at).starts_with(closing)) return at;
        const bool is_quote = text[at] == '"' || text[at] == '\'';
        at = is_quote ? expression::end_of_quoted(text, at) : at + 1;
    }
    return npos;
}

/// Finds the texts of a value that hold expressions, and collects every error in them.
class Scanner {
public:
    std::vector<Slot> slots;
    std::vector<TemplateError> errors;

    void scan(const json& value, const Pointer& place, std::size_t depth = 0) {
        if (depth > Template::max_nesting)
            complain(place, 0, concat("nested deeper than ", Template::max_nesting, " levels"));
        else if (value.is_string())
            scan_text(value.get_ref<const std::string&>(), place);
        else if (value.is_array())
            for (std::size_t i = 0; i < value.size(); ++i) scan(value[i], place / i, depth + 1);
        else if (value.is_object())
            for (const auto& [key, member] : value.items()) scan(member, place / key, depth + 1);
    }

private:
    void scan_text(std::string_view text, const Pointer& place) {
        Slot slot{place, {}};
        std::size_t at = 0;
        for (auto open = text.find(opening); open != npos; open = text.find(opening, at)) {
            const std::size_t inside = open + opening.size();
            const std::size_t close = find_closing(text, inside);
            if (close == npos) return complain_about_unclosed(text, open, place);
            if (open > at) slot.pieces.push_back({.text = std::string(text.substr(at, open - at))});
            add_expression(text.substr(inside, close - inside), inside, slot);
            at = close + closing.size();
        }
        if (at == 0) return;
        if (at < text.size()) slot.pieces.push_back({.text = std::string(text.substr(at))});
        slots.push_back(std::move(slot));
    }

    void add_expression(std::string_view text, std::size_t offset, Slot& slot) {
        auto parsed = Expression::parse(text);
        if (!parsed.ok()) return complain(slot.place, offset + parsed.error().position, parsed.error().message);
        slot.pieces.push_back({.expression = std::move(parsed).value(), .offset = offset});
    }

    /// An unclosed quote swallows the }}; the error then names the quote.
    void complain_about_unclosed(std::string_view text, std::size_t open, const Pointer& place) {
        const std::size_t inside = open + opening.size();
        const std::size_t close = text.find(closing, inside);
        if (close == npos) return complain(place, open, "this {{ has no }}");
        Slot unused{place, {}};
        add_expression(text.substr(inside, close - inside), inside, unused);
    }

    void complain(const Pointer& place, std::size_t position, std::string message) {
        errors.push_back({place.to_string(), {position, std::move(message)}});
    }
};

/// Fills slots, within one size limit for all of them.
class Filler {
public:
    explicit Filler(const ExpressionScope& scope) : scope_(scope) {}

    Result<json, TemplateError> fill(const Slot& slot) {
        auto value = slot.pieces.size() == 1 ? evaluate(slot.pieces.front()) : fill_text(slot.pieces);
        if (!value.ok()) return Failure{TemplateError{slot.place.to_string(), value.error()}};
        bytes_ += expression::size_of(*value);
        if (bytes_ > Expression::max_value_bytes) return Failure{TemplateError{slot.place.to_string(), too_large(0)}};
        return std::move(value).value();
    }

private:
    using Value = Result<json, ExpressionError>;

    Value evaluate(const Piece& piece) {
        auto value = piece.expression->evaluate(scope_);
        if (value.ok()) return value;
        return Failure{ExpressionError{piece.offset + value.error().position, value.error().message}};
    }

    Value fill_text(const std::vector<Piece>& pieces) {
        std::string text;
        for (const Piece& piece : pieces) {
            auto value = piece.expression ? evaluate(piece) : Value(json(piece.text));
            if (!value.ok()) return value;
            text += expression::text_of(*value);
            if (text.size() > Expression::max_value_bytes) return Failure{too_large(piece.offset)};
        }
        return json(std::move(text));
    }

    static ExpressionError too_large(std::size_t position) {
        return {position,
                concat("the filled-in text is larger than ", Expression::max_value_bytes >> 20, " MiB in all")};
    }

    const ExpressionScope& scope_;
    std::size_t bytes_ = 0;
};

}  // namespace

struct Template::Content {
    json value;
    std::vector<Slot> slots;
};

Result<Template, std::vector<TemplateError>> Template::parse(const json& value) {
    Scanner scanner;
    scanner.scan(value, Pointer());
    if (!scanner.errors.empty()) return Failure{std::move(scanner.errors)};
    return Template(std::make_shared<const Content>(Content{value, std::move(scanner.slots)}));
}

Result<json, TemplateError> Template::fill(const ExpressionScope& scope) const {
    json filled = content_->value;
    Filler filler(scope);
    for (const Slot& slot : content_->slots) {
        auto value = filler.fill(slot);
        if (!value.ok()) return value;
        filled.at(slot.place) = std::move(value).value();
    }
    return filled;
}

std::vector<Reference> Template::references() const {
    std::vector<Reference> all;
    for (const Slot& slot : content_->slots)
        for (const Piece& piece : slot.pieces) {
            if (!piece.expression) continue;
            for (Reference& reference : piece.expression->references())
                all.push_back({std::move(reference.path), piece.offset + reference.position, slot.place.to_string()});
        }
    return all;
}

bool Template::is_constant() const {
    return content_->slots.empty();
}

}  // namespace holdfast::core
