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

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A request that the server has read whole and found well-formed: sizes are within the limits, path and query are
/// decoded; path, query and headers are UTF-8 without NUL. The body is checked for its size only.
struct Request {
    std::string method;                        ///< "GET", ...; a HEAD appears as GET
    std::vector<std::string> path;             ///< decoded segments: {"api", "tasks", "01a1..."}
    std::map<std::string, std::string> query;  ///< decoded; a request that repeats a name is refused
    Headers headers;                           ///< names in lower case
    std::string body;
    std::string peer;         ///< the address of the client, without the port
    bool secure = false;      ///< received over TLS
    std::string caller = {};  ///< set by the handler for the access log; empty: unknown

    /// Returns the first header of that name (lower case); empty when the request lacks it.
    [[nodiscard]] std::string_view header(std::string_view name) const;
    [[nodiscard]] std::optional<std::string> parameter(const std::string& name) const;
};

struct Response {
    int status = 200;
    /// Sent in addition to the headers that the server adds to every answer. Names in any case.
    Headers headers = {};
    std::string content_type = "application/json";
    std::string body = {};
    /// Sent instead of `body`: bytes that outlive the server (the embedded page). The server handles HEAD, ETags
    /// and compression; it keeps an `etag` or a `content-encoding` that the handler has set.
    std::string_view embedded = {};

    [[nodiscard]] std::string_view content() const { return embedded.empty() ? std::string_view(body) : embedded; }
};

/// One message of an event stream.
struct ServerSentEvent {
    std::string event = {};  ///< the type of the message
    std::string id = {};     ///< the client sends it as Last-Event-ID when it reconnects; empty: no id
    std::string data = {};   ///< one line of JSON
};

/// The source of the messages of one open stream. Only the server's loop thread calls it; it must not block.
class StreamSource {
public:
    virtual ~StreamSource() = default;
    /// Returns the messages to send now, in order. The server calls it after each wake-up and after each write.
    /// When a client is too slow, the source drops or merges messages and says so in a message of its own.
    virtual std::vector<ServerSentEvent> take() = 0;
    /// Returns true when the server shall send the messages of one last take() and then close.
    [[nodiscard]] virtual bool ended() const = 0;
    /// Stores `wake`, which makes the server call take() soon. The source may call it from any thread, any number
    /// of times, until the source is destroyed. The server sets it once, when the stream opens.
    virtual void on_news(std::function<void()> wake) = 0;
};

/// A reply that opens a stream of events, with these headers.
struct EventStream {
    Headers headers = {};
    std::shared_ptr<StreamSource> source;
};

/// An answer that comes later, so that no worker thread waits for it. The handler creates it, any thread completes
/// it, the server takes it. The handler must ensure that it is completed in bounded time.
class DeferredReply {
public:
    /// Stores the answer; only the first call has an effect. From any thread.
    void complete(Response response);
    /// Sets `wake`, which is called once, from the thread that completes the reply, or at once if it is complete
    /// already. The server calls this once.
    void on_complete(std::function<void()> wake);
    /// Returns the answer, once, when it has been completed; nullopt before and afterwards.
    [[nodiscard]] std::optional<Response> take();
    /// The server gives up on the answer: the client has disconnected, or the server stops.
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

/// The answer to a request: complete, a stream, or deferred.
using Reply = std::variant<Response, EventStream, Deferred>;

/// The reason why a request failed. Every error answer of the server is made from one.
struct Problem {
    int status = 500;
    std::string code = {};    ///< for programs: "TOO_LARGE"
    std::string detail = {};  ///< a sentence that tells the user what to do
};

/// Returns the reason phrase of a status, such as "Not Found"; "Error" for an unknown status.
[[nodiscard]] std::string_view reason_of(int status);

/// Returns the problem in the format of RFC 9457: type, title, status, detail, code; with a Retry-After header when
/// `retry_after_seconds` is given.
[[nodiscard]] Response to_response(const Problem& problem, std::optional<int> retry_after_seconds = {});

/// Returns whether an Accept-Encoding header such as "br, gzip;q=0.5" allows `encoding` (RFC 9110, 12.5.3).
[[nodiscard]] bool accepts_encoding(std::string_view accept_encoding, std::string_view encoding);

}  // namespace holdfast::http
