#pragma once

#include <string>
#include <string_view>

#include "server/http/message.h"

namespace holdfast::http {

/// What there is to know about the request when its answer is put into bytes.
struct AnswerTerms {
    bool head_only = false;    ///< a HEAD: the length, not the body
    bool keeps_alive = false;  ///< else the answer says that the connection closes
    bool secure = false;
};

/// An answer as it goes over the wire.
struct Answer {
    int status = 0;
    std::string head;           ///< with the empty line
    std::string body;           ///< empty when it is embedded, or not sent
    std::string_view embedded;  ///< instead of `body`

    [[nodiscard]] std::string_view payload() const { return embedded.empty() ? std::string_view(body) : embedded; }
};

/// Adds the common headers, an ETag to what a GET got (304 when the client has it already), and compresses what is
/// worth it. Takes time in proportion to the body: not for the loop's thread.
[[nodiscard]] Answer to_answer(Response response, const Request& request, const AnswerTerms& terms);
/// The same for an answer of the server's own, which nobody caches or compresses.
[[nodiscard]] Answer to_answer(Response response, const AnswerTerms& terms);
/// The head of an event stream; the connection closes behind it.
[[nodiscard]] std::string stream_head(const EventStream& stream, bool secure);

/// The messages as a client of an event stream reads them.
[[nodiscard]] std::string to_stream_text(const std::vector<ServerSentEvent>& events);

/// Does an Accept-Encoding like "br, gzip;q=0.5" allow gzip?
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);
/// Does an If-None-Match like `W/"a", "b"` name this tag, by the weak comparison?
[[nodiscard]] bool names_tag(std::string_view if_none_match, std::string_view tag);

}  // namespace holdfast::http
