#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/result.h"

namespace holdfast::runner {

/// What a run reports about itself.
struct RunUpdate {
    std::optional<double> fraction;  ///< 0..1
    std::string text;
    std::optional<std::string> checkpoint;  ///< JSON text
};

/// Why it cannot be accepted, as a message for people; nullopt when it can.
[[nodiscard]] std::optional<std::string> update_defect(const RunUpdate& update, std::int64_t max_payload);

// The lines of the protocol of a RunSocket.

[[nodiscard]] std::string update_line(const RunUpdate& update);
/// The error is a message for people.
[[nodiscard]] Result<RunUpdate, std::string> parse_update(const std::string& line, std::int64_t max_payload);

[[nodiscard]] std::string answer_line(const std::optional<std::string>& error);
/// The error in the answer; nullopt when the update was accepted.
[[nodiscard]] std::optional<std::string> parse_answer(const std::string& line);

}  // namespace holdfast::runner
