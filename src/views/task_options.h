#pragma once

#include "holdfast/task.h"
#include "views/schema.h"

namespace holdfast::views {

// The options of a task in a submission to the API: {"queue": "default", "retry": {"base": "1s", ...}, ...}.

/// All options of the task as JSON.
[[nodiscard]] Json options_shape(const SubmitOptions& options);

/// Overrides the options with those of `item`, which must match the schemas; tags are added. Throws BadInput that
/// names the member and the allowed values.
void read_options(const nlohmann::json& item, SubmitOptions& options);

/// The schemas of the members. Ranges are only described there; read_options checks them.
[[nodiscard]] schema::Members option_schemas();

}  // namespace holdfast::views
