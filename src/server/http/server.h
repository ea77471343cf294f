#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "server/http/server_params.h"

namespace holdfast::http {

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
