#include <algorithm>
#include <array>

#include "base/text.h"
#include "core/expression/expression.h"
#include "core/expression/operators.h"

namespace holdfast::core::expression {

namespace {

using nlohmann::json;
using Arguments = std::vector<json>;

std::size_t character_count(const std::string& text) {
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

Answer call_len(const Arguments& arguments) {
    const json& value = arguments[0];
    if (value.is_string()) return json(character_count(value.get_ref<const std::string&>()));
    if (value.is_structured()) return json(value.size());
    return Failure{concat("len needs a text, a list or an object, not ", kind_of(value))};
}

Answer call_contains(const Arguments& arguments) {
    const json& whole = arguments[0];
    const json& part = arguments[1];
    if (whole.is_array())
        return json(std::any_of(whole.begin(), whole.end(), [&](const json& member) { return equal(member, part); }));
    if (!whole.is_string() && !whole.is_object())
        return Failure{concat("contains needs a text, a list or an object to look in, not ", kind_of(whole))};
    if (!part.is_string())
        return Failure{concat("contains looks for a text in ", kind_of(whole), ", not for ", kind_of(part))};
    const auto& text = part.get_ref<const std::string&>();
    if (whole.is_object()) return json(whole.contains(text));
    return json(whole.get_ref<const std::string&>().find(text) != std::string::npos);
}

Answer call_json(const Arguments& arguments) {
    return json(arguments[0].dump(-1, ' ', false, json::error_handler_t::replace));
}

Answer call_join(const Arguments& arguments) {
    const json& list = arguments[0];
    const json& separator = arguments[1];
    if (!list.is_array()) return Failure{concat("join needs a list, not ", kind_of(list))};
    if (!separator.is_string())
        return Failure{concat("join needs a text to put between the members, not ", kind_of(separator))};
    std::string joined;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) joined += separator.get_ref<const std::string&>();
        joined += text_of(list[i]);
        if (joined.size() > ExpressionLimits::max_value_bytes) return Failure{too_large()};
    }
    return json(std::move(joined));
}

constexpr std::array<Function, 4> functions = {{
    {"len", 1, "len(VALUE)", call_len},
    {"contains", 2, "contains(WHOLE, PART)", call_contains},
    {"json", 1, "json(VALUE)", call_json},
    {"join", 2, "join(LIST, SEPARATOR)", call_join},
}};

}  // namespace

const Function* find_function(std::string_view name) {
    const auto* const found = std::find_if(functions.begin(), functions.end(),
                                           [&](const Function& function) { return function.name == name; });
    return found == functions.end() ? nullptr : found;
}

}  // namespace holdfast::core::expression
