#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression/expression.h"

namespace holdfast::core::expression {

enum class TokenKind { End, Number, Text, Name, Member, Symbol };

/// A token of an expression. Its position is a byte offset; that of a Member points to the name behind the dot.
struct Token {
    TokenKind kind = TokenKind::End;
    std::size_t position = 0;
    std::string word = {};      ///< Name, Member: the name. Symbol: the symbol. Number: as written.
    nlohmann::json value = {};  ///< Number, Text: the value that it stands for.
};

/// Splits the text into tokens; the last one is End. A `-` directly behind a name belongs to the name.
[[nodiscard]] Result<std::vector<Token>, ExpressionError> tokens_of(std::string_view text);

/// Returns the offset behind a quoted text whose opening quote is at `open`; npos when the quote is never closed.
[[nodiscard]] std::size_t end_of_quoted(std::string_view text, std::size_t open);

}  // namespace holdfast::core::expression
