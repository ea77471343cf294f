#pragma once

#include <optional>
#include <variant>

#include "base/log.h"
#include "server/http/answer.h"
#include "server/http/server_params.h"

namespace holdfast::http {

/// One request and its outcome, on the way from the loop to a worker thread and back.
struct Exchange {
    Request request;
    AnswerTerms terms;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    bool is_back = false;  ///< the worker has finished; used by the loop's thread only
    std::variant<std::monostate, Answer, EventStream, Deferred> outcome = {};
};

/// Calls the handler, stores the serialized outcome in `exchange` and calls `answered`; a deferred outcome is
/// reported later, by answer_with(). An exception becomes a 500 and a log line. Called in a worker thread.
void carry_out(Exchange& exchange, const ServerParams& params, Log& log);

/// Serializes a response that the server itself makes, or one that was deferred, and calls `answered`.
[[nodiscard]] Answer answer_with(Response response, const Exchange& exchange, const ServerParams& params, Log& log);

}  // namespace holdfast::http
