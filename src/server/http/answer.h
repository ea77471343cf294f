#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/log.h"
#include "server/http/server_params.h"

namespace holdfast::http {

/// The properties of the request that decide how its answer is serialized.
struct AnswerTerms {
    bool head_only = false;    ///< a HEAD request: send the length without the body
    bool keeps_alive = false;  ///< false: the answer carries "Connection: close"
    bool secure = false;
};

/// An answer as it goes over the wire.
struct Answer {
    int status = 0;
    std::string head;           ///< status line and headers, with the empty line that ends them
    std::string body;           ///< empty when `embedded` is set, or when only the head is sent
    std::string_view embedded;  ///< used instead of `body` when set

    [[nodiscard]] std::string_view payload() const { return embedded.empty() ? std::string_view(body) : embedded; }
};

/// Serializes the answer to `request`: adds the common headers, adds an ETag to the answer of a GET (304 when the
/// client has that version already), and compresses a body that is worth it. The time it takes grows with the body,
/// so call it from a worker thread and keep it off the loop's thread.
[[nodiscard]] Answer to_answer(Response response, const Request& request, const AnswerTerms& terms);
/// The same for an answer that the server itself makes, such as an error: without ETag and compression.
[[nodiscard]] Answer to_answer(Response response, const AnswerTerms& terms);
/// Returns the head of an event stream. It tells the client that the connection closes after the stream.
[[nodiscard]] std::string stream_head(const EventStream& stream, bool secure);

/// Returns the messages in the wire format of Server-Sent Events.
[[nodiscard]] std::string to_stream_text(const std::vector<ServerSentEvent>& events);

/// Returns whether an If-None-Match header such as `W/"a", "b"` names this tag, by weak comparison.
[[nodiscard]] bool names_tag(std::string_view if_none_match, std::string_view tag);

/// One request and its outcome, on the way from the loop to a worker thread and back.
struct Exchange {
    Request request;
    AnswerTerms terms;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    /// Set once, by the worker thread that begins with the request or by the loop that withdraws it before that.
    std::shared_ptr<std::atomic<bool>> is_decided = std::make_shared<std::atomic<bool>>(false);
    bool is_back = false;  ///< the worker has finished; used by the loop's thread only
    std::variant<std::monostate, Answer, EventStream, Deferred> outcome = {};
};

/// Calls the handler, stores the serialized outcome in `exchange` and calls `answered`; a deferred outcome is
/// reported later, by answer_with(). An exception becomes a 500 and a log line. Called in a worker thread.
void carry_out(Exchange& exchange, const ServerParams& params, Log& log);

/// Serializes a response that the server itself makes, or one that was deferred, and calls `answered`.
[[nodiscard]] Answer answer_with(Response response, const Exchange& exchange, const ServerParams& params, Log& log);

}  // namespace holdfast::http
