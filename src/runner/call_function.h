#pragma once

#include <string>

#include "holdfast/function.h"

namespace holdfast::runner {

/// What came of a call: JSON text, or why there is none.
using CallOutcome = Result<std::string, TaskError>;

/// Calls the function that is registered under `name` with JSON text. What it throws becomes TASK_EXCEPTION with the
/// type and the message; arguments that are not of the function's type do too. Throws nothing.
[[nodiscard]] CallOutcome call_function(const FunctionTable& functions, const std::string& name, Context& context,
                                        const std::string& args);

}  // namespace holdfast::runner
