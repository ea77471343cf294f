#pragma once

#include "server/api/answers.h"

namespace holdfast::api {

/// Returns the OpenAPI 3.1 document of all routes, generated from the route table.
[[nodiscard]] Json openapi_document(const std::string& version);

}  // namespace holdfast::api
