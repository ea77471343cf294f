#pragma once

#include "server/api/answers.h"

namespace holdfast::api {

/// The OpenAPI 3.1 document of every route, made of the route table.
[[nodiscard]] Json openapi_document(const std::string& version);

}  // namespace holdfast::api
