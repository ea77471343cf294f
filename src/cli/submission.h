#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/catalog.h"
#include "core/task_spec.h"
#include "holdfast/task.h"

namespace CLI {
class App;
}

namespace holdfast::cli {

/// What a person asks to have executed; empty where nothing was said.
struct WorkFlags {
    std::string name, script, image, dir;
    std::vector<std::string> env;  ///< NAME=VALUE
};
void add_work_options(CLI::App& command, WorkFlags& flags);

/// A task to submit: from the catalog, from the flags, or a function of an application.
struct Submission {
    std::string name;
    std::optional<core::TaskSpec> spec;  ///< nullopt: a function
    SubmitOptions options;
    std::optional<Duration> deadline;  ///< from when it is submitted
};

/// The definition of that name, filled from the arguments (JSON text), with the flags laid over it; without one, what
/// the flags describe. Throws BadInput that names what is missing or wrong.
[[nodiscard]] Submission read_submission(const WorkFlags& flags, const config::Catalog& catalog,
                                         const std::string& args);

}  // namespace holdfast::cli
