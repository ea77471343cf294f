#include "core/expression/lexer.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "base/text.h"

namespace holdfast::core::expression {

namespace {

constexpr auto npos = std::string_view::npos;

// Written by hand because <cctype> depends on the locale.
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_name(char c) {
    return begins_name(c) || is_digit(c) || c == '-';
}

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::array<std::string_view, 16> symbols = {"==", "!=", "<=", ">=", "<", ">", "+", "-",
                                                      "*",  "/",  "%",  "(",  ")", "[", "]", ","};

/// Operators of other languages that authors write by habit.
struct Foreign {
    std::string_view symbol;
    std::string_view advice;
};
constexpr std::array<Foreign, 8> foreign_symbols = {{{"&&", "write and"},
                                                     {"||", "write or"},
                                                     {"??", "write default(PATH, FALLBACK)"},
                                                     {"|", "there are no filters; write a function: len(input.list)"},
                                                     {"!", "write not"},
                                                     {"=", "write == to compare"},
                                                     {"?", "there is no conditional"},
                                                     {".", "a dot stands between a name and a member: input.name"}}};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Result<std::vector<Token>, ExpressionError> run() {
        for (skip_space(); at_ < text_.size() && !error_; skip_space()) read();
        if (error_) return Failure{*error_};
        tokens_.push_back({.position = text_.size()});
        return std::move(tokens_);
    }

private:
    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }

    void read() {
        const char c = text_[at_];
        if (is_digit(c)) return read_number();
        if (begins_name(c)) return read_name(TokenKind::Name);
        if (c == '"' || c == '\'') return read_text();
        if (c == '.' && at_ + 1 < text_.size() && continues_name(text_[at_ + 1]) && text_[at_ + 1] != '-') {
            ++at_;
            return read_name(TokenKind::Member);
        }
        read_symbol();
    }

    void read_name(TokenKind kind) {
        const std::size_t begin = at_;
        while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
        tokens_.push_back({.kind = kind, .position = begin, .word = std::string(text_.substr(begin, at_ - begin))});
    }

    void skip_digits() {
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }

    [[nodiscard]] bool digit_at(std::size_t offset) const { return offset < text_.size() && is_digit(text_[offset]); }

    void skip_exponent() {
        if (at_ >= text_.size() || (text_[at_] != 'e' && text_[at_] != 'E')) return;
        const bool has_sign = at_ + 1 < text_.size() && (text_[at_ + 1] == '+' || text_[at_ + 1] == '-');
        const std::size_t digits = at_ + (has_sign ? 2 : 1);
        if (!digit_at(digits)) return;
        at_ = digits;
        skip_digits();
    }

    void read_number() {
        const std::size_t begin = at_;
        skip_digits();
        const std::size_t whole_end = at_;
        if (at_ < text_.size() && text_[at_] == '.' && digit_at(at_ + 1)) {
            ++at_;
            skip_digits();
        }
        skip_exponent();
        const std::string_view word = text_.substr(begin, at_ - begin);
        if (at_ == whole_end)
            add_number<std::uint64_t>(begin, word);
        else
            add_number<double>(begin, word);
    }

    template <typename Number>
    void add_number(std::size_t begin, std::string_view word) {
        Number number{};
        if (std::from_chars(word.data(), word.data() + word.size(), number).ec != std::errc())
            return fail(begin, "this number is too large or too fine to be held");
        tokens_.push_back({.kind = TokenKind::Number, .position = begin, .word = std::string(word), .value = number});
    }

    void read_text() {
        const std::size_t begin = at_;
        const std::size_t end = end_of_quoted(text_, begin);
        if (end == npos) return fail(begin, concat("this text has no closing ", text_[begin]));
        std::string content;
        for (at_ = begin + 1; at_ + 1 < end && !error_; ++at_) content += read_character();
        at_ = end;
        if (const auto defect = text_defect(content)) fail(begin, concat("this text ", *defect));
        tokens_.push_back({.kind = TokenKind::Text, .position = begin, .value = std::move(content)});
    }

    char read_character() {
        if (text_[at_] != '\\') return text_[at_];
        constexpr std::string_view escaped = "\\'\"nrt", meant = "\\'\"\n\r\t";
        const std::size_t which = escaped.find(text_[++at_]);
        if (which != npos) return meant[which];
        fail(at_ - 1, R"(expected \\, \', \", \n, \r or \t; for the backslash itself write \\)");
        return text_[at_];
    }

    void read_symbol() {
        const std::string_view rest = text_.substr(at_);
        for (const std::string_view symbol : symbols) {
            if (!rest.starts_with(symbol)) continue;
            tokens_.push_back({.kind = TokenKind::Symbol, .position = at_, .word = std::string(symbol)});
            at_ += symbol.size();
            return;
        }
        for (const auto& [symbol, advice] : foreign_symbols)
            if (rest.starts_with(symbol)) return fail(at_, concat(symbol, " is not of this language; ", advice));
        refuse_character();
    }

    void refuse_character() {
        const char c = text_[at_];
        if (c > ' ' && c < 127) return fail(at_, concat("the character ", c, " has no meaning here"));
        fail(at_,
             "this character has no meaning here; a name other than letters, digits, _ and - is written in quotes: "
             "input['...']");
    }

    void fail(std::size_t position, std::string message) {
        if (!error_) error_ = ExpressionError{position, std::move(message)};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
    std::optional<ExpressionError> error_;
};

}  // namespace

std::size_t end_of_quoted(std::string_view text, std::size_t open) {
    for (std::size_t at = open + 1; at < text.size(); ++at) {
        if (text[at] == text[open]) return at + 1;
        if (text[at] == '\\') ++at;
    }
    return npos;
}

Result<std::vector<Token>, ExpressionError> tokens_of(std::string_view text) {
    return Lexer(text).run();
}

}  // namespace holdfast::core::expression
