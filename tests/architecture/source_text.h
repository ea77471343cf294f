#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::architecture {

struct Include {
    int line = 0;
    std::string path;
};

/// What a file includes, whether in quotes or angle brackets; not what a comment or a raw string mentions.
[[nodiscard]] std::vector<Include> includes_of(std::string_view source);

/// The code alone: comments, strings and characters are blanked out, line breaks kept.
[[nodiscard]] std::string code_of(std::string_view source);

}  // namespace holdfast::architecture
