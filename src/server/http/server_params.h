#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "holdfast/time.h"
#include "server/http/limits.h"
#include "server/http/message.h"

namespace holdfast::http {

/// The group of threads that answers a request. Slow requests of one lane do not block the other lanes.
enum class Lane {
    Usual,
    Dear,   ///< takes much time or memory: few threads and a short queue
    Probe,  ///< answered from memory by its own thread; exempt from the limits on rate and connections
};

/// The PEM files of a certificate and its key; Server::reload_tls() reads them again.
struct TlsFiles {
    std::string certificate;
    std::string key;
};

struct ServerParams {
    std::string address = "127.0.0.1";
    std::uint16_t port = 7070;  ///< 0: any free port
    Limits limits = {};
    std::optional<TlsFiles> tls = {};
    /// Answers a request, and may store the caller's name in it. Runs in a worker thread; may block. An exception
    /// becomes a 500; it is logged and hidden from the client.
    std::function<Reply(Request&)> handle;
    /// Returns the lane of a request that has been read whole. Runs in the loop's thread, so it must not block or
    /// throw.
    std::function<Lane(const Request&)> lane = [](const Request&) { return Lane::Usual; };
    /// Called for every answered request, from any thread, for metrics and the access log.
    std::function<void(const Request&, int status, Duration took)> answered = [](const Request&, int, Duration) {};
};

/// The numbers that the server reports about itself.
struct ServerCounts {
    std::size_t connections = 0;
    std::size_t streams = 0;
    std::size_t waiting = 0;    ///< requests queued for a worker thread
    std::uint64_t refused = 0;  ///< connections and requests refused since the start
};

}  // namespace holdfast::http
