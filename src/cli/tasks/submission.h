#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config/catalog.h"
#include "config/submission.h"

namespace holdfast::cli {

/// The work that a person describes with flags; empty members were not given.
struct WorkFlags {
    std::string name, script, image, dir;
    std::vector<std::string> env;  ///< NAME=VALUE
};
void add_work_options(Command& command, WorkFlags& flags);

using config::Submission;

/// Returns the definition of that name, filled from the arguments (JSON text) and overridden by the flags. Without a
/// definition, returns the task that the flags describe. Throws BadInput that names the missing or invalid part.
[[nodiscard]] Submission read_submission(const WorkFlags& flags, const config::Catalog& catalog,
                                         const std::string& args);

}  // namespace holdfast::cli
