#include "config/input_template.h"

#include <algorithm>
#include <cctype>
#include <functional>

#include "base/text.h"

namespace holdfast::config {

namespace {

using Lookup = std::function<Result<std::string, std::string>(std::string_view path)>;

bool is_path(std::string_view text) {
    const auto is_part_of_a_name = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
    };
    const bool has_empty_part = text.find("..") != std::string_view::npos || text.ends_with('.');
    return (text == "input" || text.starts_with("input.")) && !has_empty_part &&
           std::all_of(text.begin(), text.end(), is_part_of_a_name);
}

/// Expands the text; `lookup` returns the replacement of each reference.
Result<std::string, std::string> expand(std::string_view text, const Lookup& lookup) {
    std::string expanded;
    for (;;) {
        const std::size_t open = text.find("{{");
        expanded += text.substr(0, open);
        if (open == std::string_view::npos) return expanded;
        const std::size_t close = text.find("}}", open);
        if (close == std::string_view::npos) return Failure<std::string>{"has a {{ without its }}"};
        const std::string_view path = trimmed(text.substr(open + 2, close - open - 2));
        if (!is_path(path)) return Failure{concat("has {{ ", path, " }}; write {{ input.NAME }}")};
        auto value = lookup(path);
        if (!value.ok()) return value;
        expanded += value.value();
        text.remove_prefix(close + 2);
    }
}

Result<std::string, std::string> member_text(std::string_view path, const nlohmann::json& input) {
    const nlohmann::json* found = &input;
    for (std::string_view rest = path.substr(std::min<std::size_t>(6, path.size())); !rest.empty();) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const std::string name(rest.substr(0, dot));
        if (!found->is_object() || !found->contains(name))
            return Failure{concat("needs ", path, ", which the arguments do not have")};
        found = &(*found)[name];
        rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

std::optional<std::string> template_fault(std::string_view text) {
    const auto expanded = expand(text, [](std::string_view) { return std::string(); });
    if (expanded.ok()) return std::nullopt;
    return expanded.error();
}

Result<std::string, std::string> fill_template(std::string_view text, const nlohmann::json& input) {
    return expand(text, [&](std::string_view path) { return member_text(path, input); });
}

std::vector<std::string> template_members(std::string_view text) {
    std::vector<std::string> members;
    (void)expand(text, [&](std::string_view path) {
        path.remove_prefix(std::min<std::size_t>(6, path.size()));
        if (!path.empty()) members.emplace_back(path.substr(0, path.find('.')));
        return std::string();
    });
    return members;
}

}  // namespace holdfast::config
