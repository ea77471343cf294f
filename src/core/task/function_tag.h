#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace holdfast::core {

/// The tag that the tasks of a function require, so that only workers with the function get them.
[[nodiscard]] inline std::string function_tag(std::string_view name) {
    return concat("task:", name);
}

}  // namespace holdfast::core
