#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/api/problem.h"
#include "views/schema.h"

namespace holdfast::api::schema {

using namespace views::schema;  // NOLINT(google-build-using-namespace): requests are checked by the same schemas

using views::Json;
using Value = nlohmann::json;

/// All that is wrong with the value by the schema; empty: nothing. `components` are what "$ref" names.
[[nodiscard]] std::vector<Fault> faults_of(const Value& value, const Json& schema, const Json& components,
                                           const std::string& where = {});

}  // namespace holdfast::api::schema
