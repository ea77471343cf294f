#pragma once

#include "views/json.h"

namespace holdfast::views {

/// The schemas of all public records and enumerations, by name: the components of the OpenAPI document.
[[nodiscard]] Json components();

}  // namespace holdfast::views
