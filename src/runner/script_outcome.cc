#include "runner/script_outcome.h"

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

constexpr std::size_t longest_line = 500;

std::string what_happened(const ScriptEnd& end) {
    if (end.broken_limit) return "killed: " + *end.broken_limit;
    return end.how.empty() ? exit_text(end.status) : end.how;
}

std::string details(const ScriptEnd& end) {
    nlohmann::json data = nlohmann::json::object();
    if (WIFEXITED(end.status)) data["exit_code"] = WEXITSTATUS(end.status);
    if (WIFSIGNALED(end.status)) data["signal"] = WTERMSIG(end.status);
    return data.dump();
}

}  // namespace

Outcome script_outcome(const ScriptEnd& end, std::int64_t max_payload) {
    const bool ended_well = WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0 && !end.broken_limit;
    if (ended_well && end.given) return outcome_of_result(*end.given, max_payload);
    if (end.was_asked_to_stop) return interrupted();
    if (ended_well) return completed_with("null", max_payload);
    std::string message = what_happened(end);
    if (!end.last_line_of_stderr.empty())
        message += ": " + readable_text(end.last_line_of_stderr.substr(0, longest_line));
    return failed_with(error_code::script_failed, message, details(end));
}

Outcome masked(Outcome outcome, const SecretMask& mask) {
    outcome.result = mask.masked(outcome.result);
    outcome.error.message = mask.masked(outcome.error.message);
    outcome.error.data = mask.masked(outcome.error.data);
    return outcome;
}

}  // namespace holdfast::runner
