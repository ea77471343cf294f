#pragma once

#include "api/answers.h"
#include "api/schema.h"

namespace holdfast::api {

/// Every schema of a request or an answer, by name: the components of the OpenAPI document.
[[nodiscard]] const Json& schemas();

}  // namespace holdfast::api
