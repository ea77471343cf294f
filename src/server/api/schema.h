#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/api/answers.h"
#include "views/schema.h"

namespace holdfast::api {

/// Returns every schema of a request or an answer, by name: the components of the OpenAPI document.
[[nodiscard]] const Json& schemas();

}  // namespace holdfast::api

namespace holdfast::api::schema {

using namespace views::schema;  // NOLINT(google-build-using-namespace): requests are checked with the same schemas

using Value = nlohmann::json;

/// Returns every fault of the value against the schema; empty: it is valid. "$ref" names one of `components`.
[[nodiscard]] std::vector<Fault> faults_of(const Value& value, const Json& schema, const Json& components,
                                           const std::string& where = {});

}  // namespace holdfast::api::schema
