#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/task/task_spec.h"
#include "engine/worker/runners.h"
#include "platform/files.h"
#include "runner/secrets.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

/// The files of one run of a script, in a directory of their own, which the destructor removes.
class ScriptFiles {
public:
    /// Throws std::system_error.
    ScriptFiles(std::string folder, const std::string& script, const std::string& checkpoint);

    [[nodiscard]] const std::string& folder() const { return folder_.path(); }
    [[nodiscard]] std::string script() const { return folder() + "/script"; }
    [[nodiscard]] std::string work() const { return folder() + "/work"; }  ///< the empty working directory
    [[nodiscard]] std::string result() const { return folder() + "/result"; }
    [[nodiscard]] std::string socket() const { return folder() + "/socket"; }
    [[nodiscard]] std::string checkpoint() const { return folder() + "/checkpoint"; }

private:
    platform::FreshFolder folder_;
};

/// The variables of a task: its own, and those that name its arguments, its runner and its result file. `folder`: the
/// path of the directory of ScriptFiles as the run sees it.
[[nodiscard]] Variables task_variables(const engine::RunOrder& order, const core::TaskSpec& spec,
                                       const std::string& folder, const std::string& worker);

/// The whole environment of a script on this machine: the variables of its task, its secrets, what the worker passes
/// on, and the worker's PATH, HOME, LANG and TZ. It finds this program in its $PATH.
[[nodiscard]] std::vector<std::string> script_environment(const engine::RunOrder& order, const core::TaskSpec& spec,
                                                          const std::string& folder, const Secrets& secrets,
                                                          const WorkerEnvironment& worker);

/// The line in the log of a run whose arguments are too long for HOLDFAST_ARGS, which is then not set.
[[nodiscard]] std::optional<std::string> note_on_long_args(const engine::RunOrder& order);

}  // namespace holdfast::runner
