#pragma once

#include <string>
#include <vector>

#include "cli/session.h"

namespace holdfast::cli {

/// The result of an order to one task or worker.
struct Steered {
    Uuid id;
    std::string status;    ///< the status in --json
    std::string sentence;  ///< continues a sentence that begins with "task <id>" or "worker <id>"
    ExitCode code = ExitCode::Done;
};

/// Prints one line for each result, failures on the error stream, and returns the worst code.
ExitCode report_steered(const Session& session, std::string_view kind, const std::vector<Steered>& steered);

}  // namespace holdfast::cli
