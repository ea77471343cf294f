#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/api/problem.h"
#include "views/schema.h"

namespace holdfast::api::schema {

using namespace views::schema;  // NOLINT(google-build-using-namespace): requests are checked with the same schemas

using views::Json;
using Value = nlohmann::json;

/// Returns every fault of the value against the schema; empty: it is valid. "$ref" names one of `components`.
[[nodiscard]] std::vector<Fault> faults_of(const Value& value, const Json& schema, const Json& components,
                                           const std::string& where = {});

}  // namespace holdfast::api::schema
