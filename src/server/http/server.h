#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "holdfast/time.h"
#include "server/http/limits.h"
#include "server/http/message.h"

namespace holdfast::http {

/// Which threads answer a request: what takes long in one lane does not hold up the others.
enum class Lane {
    Usual,
    Dear,   ///< costs much time or memory: few threads and a short line
    Probe,  ///< is answered from memory, by a thread of its own; no limit of rate or number turns it away
};

/// A certificate and its key, PEM files; read again by reload().
struct TlsFiles {
    std::string certificate;
    std::string key;
};

struct ServerParams {
    std::string address = "127.0.0.1";
    std::uint16_t port = 7070;  ///< 0: any that is free
    Limits limits = {};
    std::optional<TlsFiles> tls = {};
    /// Answers a request, and may note in it who asked; runs in a worker thread, may block, may throw (500, logged;
    /// nothing of it is told to the client).
    std::function<Reply(Request&)> handle;
    /// The lane of a request that has been read whole; in the loop's thread, so it decides at once and throws
    /// nothing.
    std::function<Lane(const Request&)> lane = [](const Request&) { return Lane::Usual; };
    /// Tells of every answered request, from any thread: for metrics and the access log.
    std::function<void(const Request&, int status, Duration took)> answered = [](const Request&, int, Duration) {};
};

/// What the server counts about itself.
struct ServerCounts {
    std::size_t connections = 0;
    std::size_t streams = 0;
    std::size_t waiting = 0;    ///< requests that wait for a worker thread
    std::uint64_t refused = 0;  ///< connections and requests turned away by a limit, since the start
};

/// An HTTP/1.1 server: one loop thread for all connections, a pool for handlers. Thousands of idle streams cost
/// memory only. Errors of its own are problem details (application/problem+json), as the API's are.
class Server {
public:
    /// Listens on the address; throws BadInput with a sentence that names it when it cannot. Clients that connect
    /// wait for start().
    Server(ServerParams params, Log& log);
    ~Server();  ///< stop(zero)
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Serves. To be called once.
    void start();
    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] std::string url() const;  ///< "http://127.0.0.1:7070"
    [[nodiscard]] ServerCounts counts() const;
    /// Reads the certificate and key again; connections that are open go on. False and a log line: they cannot be
    /// used, the old ones stay.
    bool reload_tls();
    /// Takes no new connections, ends streams with an event `bye` that says why, lets requests under way finish for
    /// at most `grace`, then closes everything.
    void stop(Duration grace, const std::string& why = "the server stops");

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http
