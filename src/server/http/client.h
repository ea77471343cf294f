#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/time.h"
#include "server/http/message.h"

namespace holdfast::http {

struct ClientParams {
    std::string url;           ///< "http://127.0.0.1:7070", "https://holdfast.example"
    std::string token = {};    ///< sent as `Authorization: Bearer`; empty: not sent
    std::string ca_file = {};  ///< PEM: trust only these authorities; empty: those of the system
    Duration connect_timeout = std::chrono::seconds(10);
    Duration answer_timeout = std::chrono::seconds(90);  ///< longer than any wait that the API allows
    std::size_t max_answer_bytes = 256 << 20;
};

/// An HTTP client of a Holdfast server. It keeps one connection and reopens it as needed. Calls block; only one
/// thread may call at a time. Over TLS the server's certificate must be valid for its host name.
///
/// Throws, each with a sentence that names the URL:
///   Unavailable    the server is unreachable, or the answer to a read-only request did not arrive: retry
///   CommitInDoubt  the answer to a request that may change something did not arrive: repeat the same request
///   Unusable       the peer is not a Holdfast server, or its certificate is untrusted
class Client {
public:
    struct Answer {
        int status = 0;
        Headers headers = {};  ///< names in lower case
        std::string body = {};
    };

    /// Throws BadInput when the URL is malformed or has a path.
    explicit Client(ClientParams params);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Sends a request and returns the answer, whatever its status. A body is sent as application/json unless
    /// `headers` contain a Content-Type.
    [[nodiscard]] Answer send(std::string_view method, std::string_view target, std::string_view body = {},
                              const Headers& headers = {});

    /// Opens an event stream and calls `receive` for each message. Ends when the server ends the stream, when
    /// `receive` returns false, or when `stops`, which the client polls four times a second, returns true. Returns
    /// status 200 with an empty body after a stream, or the answer that the server sent instead of a stream.
    Answer stream(std::string_view target, const std::function<bool(const ServerSentEvent&)>& receive,
                  const std::function<bool()>& stops, const Headers& headers = {});

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http
