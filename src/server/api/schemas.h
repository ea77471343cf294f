#pragma once

#include "server/api/answers.h"
#include "server/api/schema.h"

namespace holdfast::api {

/// Returns every schema of a request or an answer, by name: the components of the OpenAPI document.
[[nodiscard]] const Json& schemas();

}  // namespace holdfast::api
