#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/task/task_spec.h"
#include "engine/worker/runners.h"
#include "platform/files.h"
#include "platform/identity.h"
#include "runner/secrets.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

/// The files of one run of a script, in a directory of their own, which the destructor removes.
class ScriptFiles {
public:
    /// `scratch_bytes`: the directory becomes a file system of that size in memory; 0: it does not. Throws
    /// std::system_error.
    ScriptFiles(std::string folder, const std::string& script, const std::string& checkpoint,
                std::int64_t scratch_bytes);
    /// Gives everything to the user, after which it must be treated with distrust. Throws std::system_error.
    void give_to(const platform::Identity& identity) const;
    /// The file `result`, when it is a regular file of that user (nullopt: of any), up to more than `at_most` bytes.
    [[nodiscard]] std::optional<std::string> read_result(std::size_t at_most, std::optional<uid_t> owner) const;

    [[nodiscard]] const std::string& folder() const { return folder_.path(); }
    [[nodiscard]] std::string script() const { return folder() + "/script"; }
    [[nodiscard]] std::string work() const { return folder() + "/work"; }  ///< the empty working directory
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
/// on, and the worker's PATH, LANG and TZ; and HOME, of the worker or of the other user that it runs as. It finds
/// this program in its $PATH.
[[nodiscard]] std::vector<std::string> script_environment(const engine::RunOrder& order, const core::TaskSpec& spec,
                                                          const ScriptFiles& files, const Secrets& secrets,
                                                          const WorkerEnvironment& worker,
                                                          const std::optional<platform::Identity>& identity);

/// The line in the log of a run whose arguments are too long for HOLDFAST_ARGS, which is then not set.
[[nodiscard]] std::optional<std::string> note_on_long_args(const engine::RunOrder& order);

}  // namespace holdfast::runner
