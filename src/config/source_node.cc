#include "config/source_node.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/text.h"

namespace holdfast::config {

namespace {

using nlohmann::json;

// ---- As JSON ------------------------------------------------------------------------------------------------------

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

// ---- In an error --------------------------------------------------------------------------------------------------

constexpr std::size_t longest_shown = 120;

/// The text in quotes. JSON escapes characters that would break a line or a terminal; invalid UTF-8 becomes U+FFFD.
std::string in_quotes(std::string_view text) {
    return json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}

bool speaks_of_a_secret(std::string_view key) {
    static constexpr std::array<std::string_view, 6> words = {"password", "passwd", "secret",
                                                              "token",    "apikey", "api_key"};
    const std::string lower = lower_case(key);
    return std::ranges::any_of(words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// The first `longest_shown` bytes, cut at a character boundary.
std::string cut(const std::string& shown) {
    if (shown.size() <= longest_shown) return shown;
    std::size_t end = longest_shown;
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
    return concat(shown.substr(0, end), "... (", shown.size(), " bytes)");
}

std::string shown_list(const SourceNode& list) {
    std::vector<std::string> items;
    for (const SourceNode& item : list.children) items.push_back(shown_node(item));
    return cut(concat('[', join(items, ", "), ']'));
}

}  // namespace

const SourceNode* SourceNode::find(std::string_view wanted) const {
    if (kind != NodeKind::Mapping) return nullptr;
    const auto found = std::ranges::find(children, wanted, &SourceNode::key);
    return found == children.end() ? nullptr : &*found;
}

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

std::string shown_text(std::string_view text) {
    // Masked before it is cut: a cut URL could lose the characters by which the mask recognises the password.
    return cut(in_quotes(mask_password(text)));
}

std::string shown_node(const SourceNode& node) {
    if (node.kind == NodeKind::Scalar) return shown_text(node.scalar);
    if (node.kind == NodeKind::Sequence) return shown_list(node);
    return std::string(word_of(node.kind));
}

std::string shown_under(std::string_view key, const SourceNode& node) {
    const bool has_content = node.kind == NodeKind::Scalar || node.kind == NodeKind::Sequence;
    if (has_content && speaks_of_a_secret(key)) return "***";
    return shown_node(node);
}

}  // namespace holdfast::config
