#include "cli/recovery_counts.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {

Json counts_shape(const engine::RecoveryReport& report) {
    Json shape = Json::object();
    for (const auto& [what, count] : engine::counts_of(report)) shape[std::string(what)] = count;
    return shape;
}

std::string counts_text(const Json& counts) {
    std::string text;
    for (const auto& [what, count] : counts.items())
        if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, count.dump());
    std::replace(text.begin(), text.end(), '_', ' ');
    return text.empty() ? "nothing" : text;
}

}  // namespace holdfast::cli
