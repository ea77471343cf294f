#pragma once

#include <string>
#include <vector>

#include "core/task_spec.h"
#include "engine/runners.h"
#include "runner/script_files.h"

namespace holdfast::runner {

/// What is added to the environment of a script, as "NAME=value": its own variables, and those by which it finds its
/// task and its runner.
[[nodiscard]] std::vector<std::string> script_environment(const engine::RunOrder& order, const core::TaskSpec& spec,
                                                          const ScriptFiles& files);

}  // namespace holdfast::runner
