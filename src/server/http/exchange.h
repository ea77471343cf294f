#pragma once

#include <optional>
#include <variant>

#include "base/log.h"
#include "server/http/answer.h"
#include "server/http/server_params.h"

namespace holdfast::http {

/// One request and what becomes of it, on its way from the loop to a worker thread and back.
struct Exchange {
    Request request;
    AnswerTerms terms;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    bool is_back = false;  ///< for the loop's thread: the worker has done with it
    std::variant<std::monostate, Answer, EventStream, Deferred> outcome = {};
};

/// Has the handler answer, puts the answer into bytes and tells `answered`, unless the answer comes later; an
/// exception becomes a 500 and a log line. In a worker thread.
void carry_out(Exchange& exchange, const ServerParams& params, Log& log);

/// An answer of the server's own to that request, or one that came later; tells `answered`.
[[nodiscard]] Answer answer_with(Response response, const Exchange& exchange, const ServerParams& params, Log& log);

}  // namespace holdfast::http
