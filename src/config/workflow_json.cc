#include "config/workflow_json.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::config {

namespace {

using nlohmann::json;

template <typename Number>
std::optional<Number> whole(std::string_view text) {
    Number number{};
    if (text.starts_with('+')) text.remove_prefix(1);
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return number;
}

json scalar_value(const std::string& text) {
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    if (text.empty() || text.find_first_not_of("+-.0123456789eE") != std::string::npos) return text;
    if (const auto number = whole<std::int64_t>(text)) return *number;
    if (const auto number = whole<std::uint64_t>(text)) return *number;
    const bool has_digit = text.find_first_of("0123456789") != std::string::npos;
    if (const auto number = whole<double>(text); number && has_digit && std::isfinite(*number)) return *number;
    return text;
}

}  // namespace

json json_of(const SourceNode& node) {
    switch (node.kind) {
        case NodeKind::Null:
            return nullptr;
        case NodeKind::Scalar:
            return node.quoted ? json(node.scalar) : scalar_value(node.scalar);
        case NodeKind::Sequence: {
            json list = json::array();
            for (const SourceNode& item : node.children) list.push_back(json_of(item));
            return list;
        }
        case NodeKind::Mapping: {
            json object = json::object();
            for (const SourceNode& entry : node.children) object[entry.key] = json_of(entry);
            return object;
        }
    }
    return nullptr;
}

}  // namespace holdfast::config
