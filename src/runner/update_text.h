#pragma once

#include <optional>
#include <string>

#include "holdfast/result.h"
#include "runner/run_update.h"

namespace holdfast::runner {

// The lines that are spoken on a RunSocket.

[[nodiscard]] std::string update_line(const RunUpdate& update);
/// The error says what is wrong, for people.
[[nodiscard]] Result<RunUpdate, std::string> parse_update(const std::string& line, std::int64_t max_payload);

[[nodiscard]] std::string answer_line(const std::optional<std::string>& error);
/// What the answer says is wrong; nullopt when nothing is.
[[nodiscard]] std::optional<std::string> parse_answer(const std::string& line);

}  // namespace holdfast::runner
