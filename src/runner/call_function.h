#pragma once

#include <string>

#include "holdfast/function.h"
#include "runner/executor.h"
#include "runner/function_context.h"

namespace holdfast::runner {

/// Calls the function that is registered under `name` with JSON text. What it throws becomes TASK_EXCEPTION with the
/// type and the message; text that is not JSON is ARGS_NOT_READABLE. Stopped becomes TASK_EXCEPTION too, with
/// `threw_stop` set: the error counts only if the run was not asked to stop. Does not throw.
[[nodiscard]] Outcome call_function(const FunctionTable& functions, const std::string& name, FunctionContext& context,
                                    const std::string& args);

}  // namespace holdfast::runner
