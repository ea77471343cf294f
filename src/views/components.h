#pragma once

#include "views/json.h"

namespace holdfast::views {

/// The schemas of all records and enumerations that people see, by name: components of the OpenAPI document.
[[nodiscard]] Json components();

}  // namespace holdfast::views
