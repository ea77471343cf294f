#include "cli/recovery/recovery_counts.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {

std::string counts_text(const Json& counts) {
    std::string text;
    for (const auto& [what, count] : counts.items())
        if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, count.dump());
    std::replace(text.begin(), text.end(), '_', ' ');
    return text.empty() ? "nothing" : text;
}

}  // namespace holdfast::cli
