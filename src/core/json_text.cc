#include "core/json_text.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace holdfast::core {

namespace {

using nlohmann::json;

std::string json_quoted(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// ---- Faults -------------------------------------------------------------------------------------

/// Reads JSON and keeps track of where it is: in which member of which object, at which element of which array.
class FaultFinder : public nlohmann::json_sax<json> {
public:
    std::optional<JsonFault> fault;

    bool null() override { return begin_value(); }
    bool boolean(bool) override { return begin_value(); }
    bool number_integer(std::int64_t) override { return begin_value(); }
    bool number_unsigned(std::uint64_t) override { return begin_value(); }
    bool number_float(double, const std::string&) override { return begin_value(); }
    bool string(std::string&) override { return begin_value(); }
    bool binary(json::binary_t&) override { return begin_value(); }
    bool start_object(std::size_t) override { return enter(true); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(false); }
    bool end_array() override { return leave(); }
    bool key(std::string& member) override {
        levels_.back().member = member;
        if (levels_.back().seen.insert(member).second) return true;
        fault = JsonFault{path(), "is given twice"};
        return false;
    }
    bool parse_error(std::size_t byte, const std::string&, const json::exception& error) override {
        begin_value();
        const bool is_number = dynamic_cast<const json::out_of_range*>(&error) != nullptr;
        fault = is_number ? JsonFault{path(), "is a number that is too large"}
                          : JsonFault{"", concat("is not valid JSON, at byte ", byte)};
        return false;
    }

private:
    static constexpr std::size_t longest_shown = 60;
    struct Level {
        bool is_object = false;
        std::string member = {};
        std::set<std::string> seen = {};
        int index = -1;
    };

    bool begin_value() {
        if (!levels_.empty() && !levels_.back().is_object) ++levels_.back().index;
        return true;
    }
    bool enter(bool is_object) {
        begin_value();
        levels_.push_back({.is_object = is_object});
        return true;
    }
    bool leave() {
        levels_.pop_back();
        return true;
    }
    [[nodiscard]] std::string path() const {
        std::string text;
        for (const Level& level : levels_)
            text += level.is_object ? concat(text.empty() ? "" : ".", level.member.substr(0, longest_shown))
                                    : concat('[', std::max(level.index, 0), ']');
        return text;
    }

    std::vector<Level> levels_;
};

// ---- The canonical form -------------------------------------------------------------------------

class CanonicalWriter : public nlohmann::json_sax<json> {
public:
    std::string text;

    bool null() override { return add("null"); }
    bool boolean(bool value) override { return add(value ? "true" : "false"); }
    bool number_integer(std::int64_t value) override { return add(canonical_number(std::to_string(value))); }
    bool number_unsigned(std::uint64_t value) override { return add(canonical_number(std::to_string(value))); }
    bool number_float(double, const std::string& written) override { return add(canonical_number(written)); }
    bool string(std::string& value) override { return add(json_quoted(value)); }
    bool binary(json::binary_t&) override { return false; }
    bool start_object(std::size_t) override { return enter(); }
    bool key(std::string& member) override {
        open_.back().member = concat(json_quoted(member), ':');
        return true;
    }
    bool end_object() override {
        std::ranges::sort(open_.back().parts);
        return leave('{', '}');
    }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave('[', ']'); }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

private:
    struct Level {
        std::string member = {};  // of an object: what the next value belongs to
        std::vector<std::string> parts = {};
    };

    bool add(std::string part) {
        if (open_.empty())
            text = std::move(part);
        else
            open_.back().parts.push_back(open_.back().member + part);
        return true;
    }
    bool enter() {
        open_.emplace_back();
        return true;
    }
    bool leave(char begin, char end) {
        const std::string whole = concat(begin, join(open_.back().parts, ","), end);
        open_.pop_back();
        return add(whole);
    }

    std::vector<Level> open_;
};

// ---- Parts --------------------------------------------------------------------------------------

constexpr std::string_view json_blanks = " \t\r\n";

std::size_t skip_json_blanks(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(json_blanks, at), text.size());
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
}

std::size_t end_of_nested(std::string_view text, std::size_t begin) {
    int depth = 0;
    for (std::size_t at = begin; at < text.size();) {
        const char c = text[at];
        if (c == '"') {
            at = end_of_string(text, at);
            continue;
        }
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        ++at;
        if (depth == 0) return at;
    }
    return text.size();
}

std::size_t end_of_value(std::string_view text, std::size_t begin) {
    const char first = begin < text.size() ? text[begin] : '\0';
    if (first == '"') return end_of_string(text, begin);
    if (first == '{' || first == '[') return end_of_nested(text, begin);
    return std::min(text.find_first_of(",]} \t\r\n", begin), text.size());
}

/// Goes through what stands in an object or array, and hands over where each part begins: `read` returns its end.
template <typename Read>
void for_each_part(std::string_view text, char bracket, const Read& read) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // which the library skips, too
    std::size_t at = skip_json_blanks(text, text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    if (at >= text.size() || text[at] != bracket) return;
    at = skip_json_blanks(text, at + 1);
    while (at < text.size() && text[at] != '}' && text[at] != ']') {
        at = skip_json_blanks(text, read(at));
        if (at < text.size() && text[at] == ',') at = skip_json_blanks(text, at + 1);
    }
}

}  // namespace

std::optional<JsonFault> json_fault(std::string_view text) {
    FaultFinder finder;
    json::sax_parse(text, &finder);
    return finder.fault;
}

std::string canonical_json(std::string_view text) {
    CanonicalWriter writer;
    return json::sax_parse(text, &writer) ? writer.text : std::string(text);
}

bool same_json(std::string_view left, std::string_view right) {
    return left == right || canonical_json(left) == canonical_json(right);
}

std::string canonical_number(std::string_view number) {
    const bool is_negative = number.starts_with('-');
    const std::size_t exponent_at = std::min(number.find_first_of("eE"), number.size());
    std::string_view written = number.substr(std::min(exponent_at + 1, number.size()));
    if (written.starts_with('+')) written.remove_prefix(1);
    std::int64_t exponent = 0;
    const bool fits = written.size() < 16;  // beyond that it is compared as it is written
    if (fits) std::from_chars(written.data(), written.data() + written.size(), exponent);
    const std::string_view mantissa = number.substr(is_negative ? 1 : 0, exponent_at - (is_negative ? 1 : 0));
    const std::size_t point = mantissa.find('.');
    std::string digits(mantissa.substr(0, point));
    if (point != std::string_view::npos) {
        digits += mantissa.substr(point + 1);
        exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.empty()) return "0";
    if (!fits) return std::string(number);
    const std::size_t significant = digits.find_last_not_of('0') + 1;
    exponent += static_cast<std::int64_t>(digits.size() - significant);
    digits.resize(significant);
    return concat(is_negative ? "-" : "", digits, exponent == 0 ? "" : concat('e', exponent));
}

std::vector<JsonMember> json_members(std::string_view object) {
    std::vector<JsonMember> members;
    for_each_part(object, '{', [&](std::size_t begin) {
        const std::size_t end_of_name = end_of_string(object, begin);
        const json name = json::parse(object.substr(begin, end_of_name - begin), nullptr, false);
        const std::size_t value =
            skip_json_blanks(object, std::min(object.find(':', end_of_name), object.size() - 1) + 1);
        const std::size_t end = end_of_value(object, value);
        if (name.is_string()) members.emplace_back(name.get<std::string>(), object.substr(value, end - value));
        return end;
    });
    return members;
}

std::vector<std::string_view> json_elements(std::string_view array) {
    std::vector<std::string_view> elements;
    for_each_part(array, '[', [&](std::size_t begin) {
        const std::size_t end = end_of_value(array, begin);
        elements.push_back(array.substr(begin, end - begin));
        return end;
    });
    return elements;
}

std::string_view json_member(std::string_view object, std::string_view name) {
    for (const auto& [each, value] : json_members(object))
        if (each == name) return value;
    return {};
}

std::string json_object(const std::vector<std::pair<std::string, std::string>>& members) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : members) parts.push_back(concat(json_quoted(name), ':', value));
    return concat('{', join(parts, ","), '}');
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 100;
    return concat(json_quoted(text.substr(0, longest)), text.size() > longest ? "..." : "");
}

std::string found(const json& value) {
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > 60) text.replace(57, std::string::npos, "...");
    return text;
}

}  // namespace holdfast::core
