#include "server/http/message.h"

#include <algorithm>

namespace holdfast::http {

std::string_view Request::header(std::string_view name) const {
    const auto found =
        std::ranges::find(headers, name, [](const auto& field) { return std::string_view(field.first); });
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::string> Request::parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace holdfast::http
