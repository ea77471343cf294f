#pragma once

#include <string>

#include "server/http/message.h"

namespace holdfast::http {

/// Why a request is not done: what every error that leaves the server is made of.
struct Problem {
    int status = 500;
    std::string code = {};    ///< for programs: "TOO_LARGE"
    std::string detail = {};  ///< a sentence that says what to do
};

/// "Not Found"; "Error" for a status that has no name here.
[[nodiscard]] std::string_view reason_of(int status);

/// The problem as RFC 9457 has it: type, title, status, detail, code.
[[nodiscard]] Response to_response(const Problem& problem);
/// The same with Retry-After.
[[nodiscard]] Response to_response(const Problem& problem, int retry_after_seconds);

}  // namespace holdfast::http
