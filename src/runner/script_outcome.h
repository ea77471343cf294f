#pragma once

#include <optional>
#include <string>

#include "runner/executor.h"
#include "runner/script_files.h"
#include "runner/secrets.h"

namespace holdfast::runner {

/// Everything by which the outcome of a script, or of a container, is decided.
struct ScriptEnd {
    int status = 0;  ///< of waitpid
    bool was_asked_to_stop = false;
    std::optional<std::string> broken_limit;  ///< "memory limit 512 MiB"
    std::string last_line_of_stderr;
    std::optional<GivenResult> given;
    std::string how;  ///< what happened, where the status does not say it; may be empty
};

/// - Exit code 0: completed, with the result that was given, or null.
/// - Asked to stop, and no result with exit code 0: interrupted. A result that it gave stands.
/// - Else SCRIPT_FAILED, with what happened and the last line of stderr.
[[nodiscard]] Outcome script_outcome(const ScriptEnd& end, std::int64_t max_payload);

/// The same, without the secrets that it may repeat.
[[nodiscard]] Outcome masked(Outcome outcome, const SecretMask& mask);

}  // namespace holdfast::runner
