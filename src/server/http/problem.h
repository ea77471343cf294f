#pragma once

#include <string>

#include "server/http/message.h"

namespace holdfast::http {

/// The reason why a request failed. Every error answer of the server is made from one.
struct Problem {
    int status = 500;
    std::string code = {};    ///< for programs: "TOO_LARGE"
    std::string detail = {};  ///< a sentence that tells the user what to do
};

/// Returns the reason phrase of a status, such as "Not Found"; "Error" for a status that this table lacks.
[[nodiscard]] std::string_view reason_of(int status);

/// Returns the problem in the format of RFC 9457: type, title, status, detail, code.
[[nodiscard]] Response to_response(const Problem& problem);
/// The same with a Retry-After header.
[[nodiscard]] Response to_response(const Problem& problem, int retry_after_seconds);

}  // namespace holdfast::http
