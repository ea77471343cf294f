#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace holdfast::http {

/// A request that has been read whole and found well-formed: sizes within the limits, path and query decoded; path,
/// query and headers UTF-8 without NUL. Of the body nothing is known but its size.
struct Request {
    std::string method;                                        ///< "GET", ...; a HEAD is shown as GET
    std::vector<std::string> path;                             ///< decoded segments: {"api", "tasks", "01a1..."}
    std::map<std::string, std::string> query;                  ///< decoded; a name that comes twice is refused before
    std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case
    std::string body;
    std::string peer;         ///< the address it came from, without the port
    bool secure = false;      ///< over TLS
    std::string caller = {};  ///< set by the handler: who asked, for the access log; empty: it does not know

    /// The first of that name (lower case); empty: none.
    [[nodiscard]] std::string_view header(std::string_view name) const;
    [[nodiscard]] std::optional<std::string> parameter(const std::string& name) const;
};

struct Response {
    int status = 200;
    /// Beside those that the server adds to all. Names in any case.
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string content_type = "application/json";
    std::string body = {};
    /// Instead of `body`: bytes that outlive the server (the embedded page). HEAD, ETags and compression are the
    /// server's business; a handler that sets `etag` or `content-encoding` itself is left alone there.
    std::string_view embedded = {};
};

/// One message of an event stream.
struct ServerSentEvent {
    std::string event = {};  ///< its type
    std::string id = {};     ///< empty: none; else the client sends it as Last-Event-ID when it comes back
    std::string data = {};   ///< one line of JSON
};

/// Where the messages of one open stream come from. Called by the server's loop thread only; must not block.
class StreamSource {
public:
    virtual ~StreamSource() = default;
    /// What there is to send now, in order; called again after each wake-up and after each write. Messages that a
    /// slow client could not be sent in time are the source's to drop or merge: it says so in its own messages.
    virtual std::vector<ServerSentEvent> take() = 0;
    /// True: send what take() gives, then close.
    [[nodiscard]] virtual bool ended() const = 0;
    /// `wake` may be called from any thread, any number of times, until the source is destroyed; it makes the server
    /// call take() soon. Set once, when the stream opens.
    virtual void on_news(std::function<void()> wake) = 0;
};

/// A stream of events, with these headers.
struct EventStream {
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::shared_ptr<StreamSource> source;
};

/// A place for an answer that comes later, so that no handler's thread waits for it: made by the handler, completed
/// from any thread, taken by the server. Whoever makes one completes it in bounded time.
class DeferredReply {
public:
    /// Only the first one counts.
    void complete(Response response);
    /// `wake` is called once, from the thread that completes; at once if that has happened. Set once, by the server.
    void on_complete(std::function<void()> wake);
    /// The answer, once there is one.
    [[nodiscard]] std::optional<Response> take();
    /// The client has gone: nobody will take the answer.
    void abandon() { abandoned_ = true; }
    [[nodiscard]] bool abandoned() const { return abandoned_; }

private:
    std::mutex mutex_;
    std::optional<Response> response_;
    bool completed_ = false;
    std::function<void()> wake_;
    std::atomic<bool> abandoned_ = false;
};
struct Deferred {
    std::shared_ptr<DeferredReply> reply;
};

/// The answer to a request: whole, as a stream, or later.
using Reply = std::variant<Response, EventStream, Deferred>;

}  // namespace holdfast::http
