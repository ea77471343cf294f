#pragma once

#include "holdfast/task.h"
#include "views/schema.h"

namespace holdfast::views {

// The options of a task in a submit to the API: {"queue": "default", "retry": {"base": "1s", ...}, ...}.

/// All that the task has.
[[nodiscard]] Json options_shape(const SubmitOptions& options);

/// Overrides the options with those that `item` has, which must fit the schemas; tags are added. Throws BadInput that
/// names the member and what is allowed.
void read_options(const nlohmann::json& item, SubmitOptions& options);

/// The schemas of the members; ranges are described, and checked by read_options.
[[nodiscard]] schema::Members option_schemas();

}  // namespace holdfast::views
