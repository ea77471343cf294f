#pragma once

#include <string>

#include "holdfast/function.h"
#include "runner/executor.h"
#include "runner/function_context.h"

namespace holdfast::runner {

/// Calls the function that is registered under `name` with JSON text. What it throws becomes TASK_EXCEPTION with the
/// type and the message; text that is not JSON is ARGS_NOT_READABLE. Stopped becomes TASK_EXCEPTION too, with
/// `threw_stop` set: that error is for a run that nobody had asked to stop. Throws nothing.
[[nodiscard]] Outcome call_function(const FunctionTable& functions, const std::string& name, FunctionContext& context,
                                    const std::string& args);

}  // namespace holdfast::runner
