#pragma once

#include <optional>
#include <string>

#include "runner/executor.h"
#include "runner/script_files.h"
#include "runner/secrets.h"

namespace holdfast::runner {

/// Everything that decides the outcome of a script or of a container.
struct ScriptEnd {
    int status = 0;  ///< of waitpid
    bool was_asked_to_stop = false;
    std::optional<std::string> broken_limit;  ///< "memory limit 512 MiB"
    std::string last_line_of_stderr;
    std::optional<GivenResult> given;
    std::string how;  ///< what happened, where the status does not tell; may be empty
};

/// - Exit code 0: completed, with the given result or null.
/// - Asked to stop, and no exit code 0 with a result: interrupted. A given result counts.
/// - Else SCRIPT_FAILED, with what happened and the last line of stderr.
[[nodiscard]] Outcome script_outcome(const ScriptEnd& end, std::int64_t max_payload);

/// The same, with the secrets masked that it may repeat.
[[nodiscard]] Outcome masked(Outcome outcome, const SecretMask& mask);

}  // namespace holdfast::runner
