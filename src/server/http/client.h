#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/time.h"
#include "server/http/message.h"

namespace holdfast::http {

struct ClientParams {
    std::string url;           ///< "http://127.0.0.1:7070", "https://holdfast.example"
    std::string token = {};    ///< sent as `Authorization: Bearer`; empty: none
    std::string ca_file = {};  ///< PEM: trust only whom these vouch for; empty: whom the system trusts
    Duration connect_timeout = std::chrono::seconds(10);
    Duration answer_timeout = std::chrono::seconds(90);  ///< longer than any wait that the API allows
    std::size_t max_answer_bytes = 256 << 20;
};

/// Asks a Holdfast server, over one connection that it keeps and opens again as needed. Blocks; for one thread at a
/// time. Over TLS the server's certificate must be valid for its name.
///
/// Throws, each with a sentence that names the URL:
///   Unavailable    the server cannot be reached, or went away before it did anything: try again
///   CommitInDoubt  it went away while a request that may change something was under way: make the same request again
///   Unusable       it is no server of this kind, or its certificate is not to be trusted
class Client {
public:
    using Headers = std::vector<std::pair<std::string, std::string>>;

    struct Answer {
        int status = 0;
        Headers headers = {};  ///< names in lower case
        std::string body = {};
    };

    /// Throws BadInput when the URL is not one, or has a path.
    explicit Client(ClientParams params);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Any answer is one, whatever its status. A body is sent as application/json unless `headers` say otherwise.
    [[nodiscard]] Answer send(std::string_view method, std::string_view target, std::string_view body = {},
                              const Headers& headers = {});

    /// Opens an event stream and calls `receive` for each message until the server ends it, `receive` returns false
    /// or `stops`, which is asked four times a second, returns true. Returns what was answered instead of a stream;
    /// its status is 200 and its body empty when there was one.
    Answer stream(std::string_view target, const std::function<bool(const ServerSentEvent&)>& receive,
                  const std::function<bool()>& stops, const Headers& headers = {});

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http
