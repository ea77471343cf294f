#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/message.h"
#include "server/http/server_params.h"

namespace holdfast::http {

/// A body that grows as it arrives. Beast's own string_body reserves the announced length at once, which would let
/// a client take memory without sending anything.
struct GrowingBody {
    using value_type = std::string;
    struct reader : boost::beast::http::string_body::reader {
        using boost::beast::http::string_body::reader::reader;
        void init(const boost::optional<std::uint64_t>& /*length*/, boost::beast::error_code& ec) { ec = {}; }
    };
};

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

    /// Parses all bytes that were received and are still unused. Returns how many of them it used; the caller keeps
    /// the rest and calls again with more bytes appended. Once the request is complete, the rest belongs to the
    /// next request.
    std::size_t feed(std::string_view bytes);

    /// Refuses the request for a reason outside its bytes, such as an overloaded server.
    void refuse(Problem problem);

    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] const Problem& problem() const { return problem_; }  ///< valid once the state is Refused
    /// Returns whether the client waits for "100 Continue" before it sends the body.
    [[nodiscard]] bool wants_continue() const;
    [[nodiscard]] std::size_t body_bytes() const { return parser_.get().body().size(); }  ///< received so far
    [[nodiscard]] bool keeps_alive() const;  ///< the connection may serve another request
    [[nodiscard]] bool wants_head_only() const { return request_.method == "HEAD"; }  ///< take() returns it as GET
    /// Moves the request out: whole once complete, otherwise the part that was parsed. Call it once, after the
    /// other queries.
    [[nodiscard]] Request take();

private:
    std::size_t feed_head(std::string_view bytes);
    void read_head(std::string_view head);
    std::size_t feed_body(std::string_view bytes);
    void scan_head(std::string_view bytes);
    void refuse_long_head(std::string_view bytes);
    void accept_head();
    void refuse(int status, const char* code, std::string detail);
    void refuse_malformed(std::string detail) { refuse(400, "BAD_REQUEST", std::move(detail)); }
    void refuse_long_target();
    void refuse_by_parser(const boost::beast::error_code& ec, std::string_view what);

    const Limits& limits_;
    boost::beast::http::request_parser<GrowingBody> parser_;
    Request request_;
    State state_ = State::Head;
    Problem problem_;
    std::size_t scanned_ = 0;   // bytes of the head that scan_head() has checked
    std::size_t head_end_ = 0;  // where the body begins; zero: unknown
};

/// Parses one answer from bytes that arrive in pieces of any size; the client's counterpart of RequestReader.
/// feed() throws Unusable when the bytes are not HTTP.
class ResponseReader {
public:
    /// `is_to_head`: the answer to a HEAD, which lacks a body. `max_body_bytes`: feed() throws Unusable when the
    /// body is larger.
    ResponseReader(bool is_to_head, std::size_t max_body_bytes);

    /// Works as RequestReader::feed does.
    std::size_t feed(std::string_view bytes);
    /// Call it when the connection has ended. Returns whether the answer is complete, as it is when its header lets
    /// the end of the connection end the body.
    [[nodiscard]] bool end();

    [[nodiscard]] bool has_head() const { return parser_.is_header_done(); }
    [[nodiscard]] bool is_complete() const { return parser_.is_done(); }
    [[nodiscard]] bool keeps_alive() const { return is_complete() && parser_.keep_alive(); }
    [[nodiscard]] int status() const { return static_cast<int>(parser_.get().result_int()); }
    [[nodiscard]] Headers headers() const;  ///< names in lower case
    [[nodiscard]] std::string_view header(std::string_view name) const { return parser_.get()[name]; }
    [[nodiscard]] std::string& body() { return parser_.get().body(); }  ///< so far; the caller may remove parts

private:
    boost::beast::http::response_parser<GrowingBody> parser_;
};

/// Parses the bytes of an event stream, in pieces of any size, into messages. Comments are skipped.
class EventReader {
public:
    /// Adds bytes and returns the messages that they complete. Throws Unusable when a message exceeds 16 MiB.
    std::vector<ServerSentEvent> feed(std::string_view bytes);

private:
    void read_line(std::string_view line, std::vector<ServerSentEvent>& complete);

    std::string rest_;  // the beginning of a line whose end has not arrived
    ServerSentEvent event_;
    bool has_data_ = false;
};

}  // namespace holdfast::http
