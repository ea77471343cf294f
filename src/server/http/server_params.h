#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "holdfast/time.h"
#include "server/http/limits.h"
#include "server/http/message.h"

namespace holdfast::http {

/// The threads that answer a request: slow requests of one lane do not block the others.
enum class Lane {
    Usual,
    Dear,   ///< costs much time or memory: few threads and a short queue
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
    /// Answers a request, and may note in it who asked. Runs in a worker thread, may block, may throw (500; the error
    /// is logged and not sent to the client).
    std::function<Reply(Request&)> handle;
    /// The lane of a request that has been read whole. Runs in the loop's thread, so it must not block or throw.
    std::function<Lane(const Request&)> lane = [](const Request&) { return Lane::Usual; };
    /// Called for every answered request, from any thread: for metrics and the access log.
    std::function<void(const Request&, int status, Duration took)> answered = [](const Request&, int, Duration) {};
};

/// What the server counts about itself.
struct ServerCounts {
    std::size_t connections = 0;
    std::size_t streams = 0;
    std::size_t waiting = 0;    ///< requests that wait for a worker thread
    std::uint64_t refused = 0;  ///< connections and requests turned away by a limit, since the start
};

}  // namespace holdfast::http
