#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config/catalog.h"
#include "config/submission.h"

namespace holdfast::cli {

/// The work that a person asks for; empty where nothing was said.
struct WorkFlags {
    std::string name, script, image, dir;
    std::vector<std::string> env;  ///< NAME=VALUE
};
void add_work_options(Command& command, WorkFlags& flags);

using config::Submission;

/// The definition of that name, filled from the arguments (JSON text), with the flags laid over it; without one, what
/// the flags describe. Throws BadInput that names what is missing or wrong.
[[nodiscard]] Submission read_submission(const WorkFlags& flags, const config::Catalog& catalog,
                                         const std::string& args);

}  // namespace holdfast::cli
