#include "runner/outcome.h"

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

constexpr std::size_t longest_quote = 500;

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

Outcome outcome_of_result(const GivenResult& given, std::int64_t max_payload) {
    if (given.is_too_large)
        return failed_with(error_code::result_too_large,
                           concat("the result has more than the ", max_payload, " bytes that are allowed"));
    if (!nlohmann::json::accept(given.text))
        return failed_with(error_code::result_not_readable,
                           concat("the result is not valid JSON: ", given.text.substr(0, 200)));
    return completed_with(given.text, max_payload);
}

}  // namespace

Outcome completed_with(std::string result, std::int64_t max_payload) {
    if (static_cast<std::int64_t>(result.size()) > max_payload)
        return failed_with(error_code::result_too_large,
                           concat("the result has ", result.size(), " bytes; allowed are ", max_payload));
    return {.completed = true, .result = std::move(result)};
}

Outcome failed_with(std::string_view code, const std::string& message, const std::string& data) {
    return {.error = {std::string(code), readable_text(message), readable_text(data)}};
}

Outcome masked(Outcome outcome, const SecretMask& mask) {
    outcome.result = mask.masked(outcome.result);
    outcome.error.message = mask.masked(outcome.error.message);
    outcome.error.data = mask.masked(outcome.error.data);
    return outcome;
}

std::optional<GivenResult> given_result(const std::optional<std::string>& text,
                                        const std::string& last_line_of_stdout, std::int64_t max_payload) {
    constexpr std::string_view mark = "OUTPUT: ";
    const auto largest = static_cast<std::size_t>(max_payload);
    if (text && !trimmed(*text).empty()) return GivenResult{std::string(trimmed(*text)), text->size() > largest};
    if (!last_line_of_stdout.starts_with(mark)) return std::nullopt;
    const std::string_view printed = trimmed(std::string_view(last_line_of_stdout).substr(mark.size()));
    return GivenResult{std::string(printed), printed.size() > largest};
}

Outcome script_outcome(const ScriptEnd& end, std::int64_t max_payload) {
    const bool ended_well = WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0 && !end.broken_limit;
    if (ended_well && end.given) return outcome_of_result(*end.given, max_payload);
    if (end.was_asked_to_stop) return {.saw_stop = true};
    if (ended_well) return completed_with("null", max_payload);
    std::string message = what_happened(end);
    if (!end.last_line_of_stderr.empty())
        message += ": " + readable_text(end.last_line_of_stderr.substr(0, longest_quote));
    return failed_with(error_code::script_failed, message, details(end));
}

}  // namespace holdfast::runner
