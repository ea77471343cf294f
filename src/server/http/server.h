#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "server/http/server_params.h"

namespace holdfast::http {

/// An HTTP/1.1 server: one loop thread for all connections, and worker threads for the handlers. An idle stream
/// costs memory only, so thousands of them are fine. The server's own errors are problem details
/// (application/problem+json), like those of the API.
class Server {
public:
    /// Listens on the address; throws BadInput with a sentence that names the address when it cannot. Clients that
    /// connect wait until start().
    Server(ServerParams params, Log& log);
    ~Server();  ///< stop(zero)
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Starts to serve. Call it once.
    void start();
    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] std::string url() const;  ///< "http://127.0.0.1:7070"
    [[nodiscard]] ServerCounts counts() const;
    /// Reads the certificate and key again; open connections continue. Returns false and logs an error when the
    /// files are unusable; the old certificate stays in use.
    bool reload_tls();
    /// Stops the server: accepts no new connections, ends streams with an event `bye` that carries the reason, lets
    /// requests under way finish for at most `grace`, then closes all connections. Later calls do nothing.
    void stop(Duration grace, const std::string& why = "the server stops");

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http
