#pragma once

#include <memory>
#include <string_view>

#include "server/http/limits.h"
#include "server/http/message.h"
#include "server/http/problem.h"

namespace holdfast::http {

/// Parses one request from bytes that arrive in pieces of any size; it does not use a socket. The first defect or
/// exceeded limit refuses the whole request. Any input that two parsers could read differently is refused (two
/// lengths, folded lines, bare line feeds, a second Host).
class RequestReader {
public:
    enum class State {
        Head,      ///< needs more of the request line or the header
        Body,      ///< the header is valid; needs more of the body
        Complete,  ///< the caller may take() the request
        Refused,   ///< answer with problem(), then close: the end of the request is unknown
    };

    explicit RequestReader(const Limits& limits);
    ~RequestReader();
    RequestReader(const RequestReader&) = delete;
    RequestReader& operator=(const RequestReader&) = delete;

    /// Parses all bytes that were received and are still unused. Returns how many of them it used; the caller keeps
    /// the rest and calls again with more bytes appended. Once the request is complete, the rest belongs to the
    /// next request.
    std::size_t feed(std::string_view bytes);

    /// Refuses the request for a reason outside its bytes, such as an overloaded server.
    void refuse(Problem problem);

    [[nodiscard]] State state() const;
    [[nodiscard]] const Problem& problem() const;  ///< valid once the state is Refused
    /// Returns whether the client waits for "100 Continue" before it sends the body.
    [[nodiscard]] bool wants_continue() const;
    [[nodiscard]] std::size_t body_bytes() const;  ///< received so far
    [[nodiscard]] bool keeps_alive() const;        ///< the connection may serve another request
    [[nodiscard]] bool wants_head_only() const;    ///< a HEAD request, which take() returns as GET
    /// Moves the request out: whole once complete, otherwise the part that was parsed. Call it once, after the
    /// other queries.
    [[nodiscard]] Request take();

private:
    class Parser;
    std::size_t feed_head(std::string_view bytes);
    std::size_t feed_head_line(std::string_view bytes);
    void read_head(std::string_view head);
    std::size_t feed_body(std::string_view bytes);
    void scan_head(std::string_view bytes);
    void refuse_long_head(std::string_view bytes);
    void accept_head();
    void refuse(int status, const char* code, std::string detail);

    const Limits& limits_;
    std::unique_ptr<Parser> parser_;
    State state_ = State::Head;
    Problem problem_;
    std::size_t scanned_ = 0;   // bytes of the head that scan_head() has checked
    std::size_t head_end_ = 0;  // where the body begins; zero: unknown
};

}  // namespace holdfast::http
