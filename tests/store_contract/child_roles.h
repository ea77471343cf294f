#pragma once

#include <string>

#include "store_contract/child_process.h"

namespace holdfast::contract {

using ChildRole = int (*)(const ChildContext&);

/// By name; an unknown one throws std::out_of_range.
[[nodiscard]] ChildRole child_role(const std::string& name);

}  // namespace holdfast::contract
