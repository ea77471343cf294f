#pragma once

#include <memory>
#include <string_view>

#include "server/http/limits.h"
#include "server/http/message.h"
#include "server/http/problem.h"

namespace holdfast::http {

/// Makes one request out of bytes, however they are cut; touches no socket. The first thing that is wrong, or larger
/// than the limits, refuses the whole: nothing that two readers could understand differently gets through (both
/// lengths, folded lines, bare line feeds, a second Host).
class RequestReader {
public:
    enum class State {
        Head,      ///< wants more of the request line and the header
        Body,      ///< the header is known and good; wants more of the body
        Complete,  ///< take() it
        Refused,   ///< answer with problem(), then close: what follows cannot be told from what belongs to it
    };

    explicit RequestReader(const Limits& limits);
    ~RequestReader();
    RequestReader(const RequestReader&) = delete;
    RequestReader& operator=(const RequestReader&) = delete;

    /// Everything that has come and was not used yet. Returns how much of it is used now; the caller keeps the rest
    /// and calls again with more behind it. Once complete, the rest belongs to the next request.
    std::size_t feed(std::string_view bytes);

    /// For a reason that its bytes do not show.
    void refuse(Problem problem);

    [[nodiscard]] State state() const;
    [[nodiscard]] const Problem& problem() const;  ///< once refused
    /// The client waits for "100 Continue" before it sends the body.
    [[nodiscard]] bool wants_continue() const;
    [[nodiscard]] std::size_t body_bytes() const;  ///< so far
    [[nodiscard]] bool keeps_alive() const;        ///< the connection may serve another request
    [[nodiscard]] bool wants_head_only() const;    ///< a HEAD, shown as GET
    /// What is known of it so far; whole once complete. Leaves nothing behind.
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
    std::size_t scanned_ = 0;   // how much of the head has been looked at
    std::size_t head_end_ = 0;  // where the body begins; zero: not known yet
};

}  // namespace holdfast::http
