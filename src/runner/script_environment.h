#pragma once

#include <string>
#include <vector>

#include "core/task_spec.h"
#include "engine/runners.h"

namespace holdfast::runner {

/// The variables of a task, as "NAME=value": its own, and those by which it finds its arguments, its runner, and
/// where to leave its result. `folder`: where the run sees the directory of ScriptFiles.
[[nodiscard]] std::vector<std::string> task_environment(const engine::RunOrder& order, const core::TaskSpec& spec,
                                                        const std::string& folder);

/// The same for a script on this machine, which also finds this program in its $PATH.
[[nodiscard]] std::vector<std::string> script_environment(const engine::RunOrder& order, const core::TaskSpec& spec,
                                                          const std::string& folder);

}  // namespace holdfast::runner
