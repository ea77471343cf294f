#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/worker/runners.h"
#include "runner/secrets.h"

namespace holdfast::runner {

/// How a run ended by itself, or because it was asked to. Its runner and lease are added later.
using Outcome = engine::RunEnded;

/// RESULT_TOO_LARGE when it has more bytes than `max_payload`.
[[nodiscard]] Outcome completed_with(std::string result, std::int64_t max_payload);
[[nodiscard]] Outcome failed_with(std::string_view code, const std::string& message, const std::string& data = {});
/// The same, with the secrets masked that it may repeat.
[[nodiscard]] Outcome masked(Outcome outcome, const SecretMask& mask);

/// The result of a script that ended with exit code 0: the contents `text` of its result file, else the rest of the
/// last printed line after "OUTPUT: ", else null. nullopt: the script gave none.
struct GivenResult {
    std::string text;
    bool is_too_large = false;
};
[[nodiscard]] std::optional<GivenResult> given_result(const std::optional<std::string>& text,
                                                      const std::string& last_line_of_stdout,
                                                      std::int64_t max_payload);

/// Everything that decides the outcome of a script or of a container.
struct ScriptEnd {
    int status = 0;  ///< of waitpid
    bool was_asked_to_stop = false;
    std::optional<std::string> broken_limit = {};  ///< "memory limit 512 MiB"
    std::string how = {};                          ///< what happened, where the status does not tell; may be empty
    std::string last_line_of_stderr = {};
    std::optional<GivenResult> given = {};
};

/// - Exit code 0: completed, with the given result or null.
/// - Asked to stop, and no exit code 0 with a result: it has seen the stop. A given result counts.
/// - Else SCRIPT_FAILED, with what happened and the last line of stderr.
[[nodiscard]] Outcome script_outcome(const ScriptEnd& end, std::int64_t max_payload);

}  // namespace holdfast::runner
