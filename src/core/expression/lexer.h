#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression/expression_terms.h"

namespace holdfast::core::expression {

enum class TokenKind { End, Number, Text, Name, Member, Symbol };

/// A word of an expression. Where it begins is a byte offset; a Member's is that of its name, behind the dot.
struct Token {
    TokenKind kind = TokenKind::End;
    std::size_t position = 0;
    std::string word = {};      ///< Name, Member: the name. Symbol: the symbol. Number: as written.
    nlohmann::json value = {};  ///< Number, Text: what it stands for.
};

/// The words of the text, and End. A `-` directly behind a name belongs to the name.
[[nodiscard]] Result<std::vector<Token>, ExpressionError> tokens_of(std::string_view text);

/// The offset behind a quoted text that begins at `open` with its quote; npos when it has no end.
[[nodiscard]] std::size_t end_of_quoted(std::string_view text, std::size_t open);

}  // namespace holdfast::core::expression
