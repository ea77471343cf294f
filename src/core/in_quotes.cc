#include "core/in_quotes.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace holdfast::core {

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 100;
    const std::string_view part = text.substr(0, longest);
    const std::string shown = nlohmann::json(part).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return part.size() == text.size() ? shown : concat(shown, "...");
}

}  // namespace holdfast::core
