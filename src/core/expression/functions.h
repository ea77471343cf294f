#pragma once

#include <string_view>
#include <vector>

#include "core/expression/operators.h"

namespace holdfast::core::expression {

/// A function of the language that looks at nothing but its arguments. (`default` is none: the parser knows it.)
struct Function {
    std::string_view name;
    std::size_t arity;
    std::string_view usage;
    Answer (*call)(const std::vector<nlohmann::json>& arguments);
};

/// nullptr when there is none of that name.
[[nodiscard]] const Function* find_function(std::string_view name);

/// "len, contains, json, join and default"
[[nodiscard]] std::string_view function_names();

}  // namespace holdfast::core::expression
