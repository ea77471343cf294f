#include "core/expression/found_value.h"

#include <nlohmann/json.hpp>

namespace holdfast::core {

using nlohmann::json;

std::string found(const json& value) {
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > 60) text.replace(57, std::string::npos, "...");
    return text;
}

}  // namespace holdfast::core
