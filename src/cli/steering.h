#pragma once

#include <string>
#include <vector>

#include "cli/session.h"

namespace holdfast::cli {

/// What steering did to one task or worker.
struct Steered {
    Uuid id;
    std::string status;    ///< of --json
    std::string sentence;  ///< goes on from "task <id>" or "worker <id>"
    ExitCode code = ExitCode::Done;
};

/// Prints one line each, failures on the error stream, and returns the worst code.
ExitCode report_steered(const Session& session, std::string_view kind, const std::vector<Steered>& steered);

}  // namespace holdfast::cli
