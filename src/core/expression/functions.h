#pragma once

#include <string_view>
#include <vector>

#include "core/expression/operators.h"

namespace holdfast::core::expression {

/// A function of the language whose result depends only on its arguments. (`default` is part of the parser instead.)
struct Function {
    std::string_view name;
    std::size_t arity;
    std::string_view usage;
    Answer (*call)(const std::vector<nlohmann::json>& arguments);
};

/// Returns the function of that name; nullptr when it does not exist.
[[nodiscard]] const Function* find_function(std::string_view name);

/// "len, contains, json, join and default"
[[nodiscard]] std::string_view function_names();

}  // namespace holdfast::core::expression
