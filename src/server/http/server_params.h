#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "holdfast/time.h"
#include "server/http/message.h"

namespace holdfast::http {

/// The limits that a server enforces on its clients. A client that exceeds one gets an answer that says so, if the
/// connection still allows one.
struct Limits {
    std::size_t max_header_bytes = 16 * 1024;
    std::size_t max_body_bytes = 8 << 20;
    std::size_t max_target_bytes = 8 * 1024;
    std::size_t max_bytes_in_hand = 256 << 20;  ///< bodies of all unanswered requests; beyond it: 503
    std::size_t max_connections = 10'000;
    std::size_t max_connections_per_peer = 10'000;  ///< applies to loopback, too
    double requests_per_second_per_peer = 200;      ///< beyond it and the burst: 429 with Retry-After
    double burst_per_peer = 400;
    double work_per_second_per_peer = 10'000;  ///< the same for Lane::Work: a busy worker takes many turns
    double work_burst_per_peer = 20'000;
    Duration header_timeout =
        std::chrono::seconds(10);  ///< from accept, or from the first byte, to the last byte of the header
    Duration body_timeout = std::chrono::seconds(30);
    Duration idle_timeout = std::chrono::seconds(75);   ///< between two requests on a kept-alive connection
    Duration write_timeout = std::chrono::seconds(30);  ///< without any progress
    Duration stream_beat = std::chrono::seconds(15);    ///< interval of the comments on an idle event stream
    std::size_t workers = 4;                            ///< threads for Lane::Usual
    std::size_t max_waiting = 256;                      ///< requests queued for them; beyond it: 503 with Retry-After
    std::size_t dear_workers = 2;                       ///< threads for Lane::Dear
    std::size_t max_dear_waiting = 16;    ///< requests queued for these; beyond it: 503 with Retry-After
    std::size_t memory_workers = 2;       ///< threads for Lane::Memory
    std::size_t work_workers = 4;         ///< threads for Lane::Work
    std::size_t max_work_waiting = 1024;  ///< requests queued for these; beyond it: 503 with Retry-After
    /// When all threads of a lane have been busy with the same requests for longer than this, its other requests,
    /// waiting or new, get a 503 at once: the threads probably wait for something that hangs.
    Duration stuck_after = std::chrono::seconds(3);
    Duration dear_stuck_after = std::chrono::seconds(30);
};

/// The group of threads that answers a request. Slow requests of one lane do not block the other lanes.
enum class Lane {
    Usual,
    Dear,    ///< takes much time or memory: few threads and a short queue
    Work,    ///< of workers behind this server, which must go on beside everything else
    Memory,  ///< answered without waiting for anything that may hang
    Probe,   ///< the same, by its own thread; exempt from the limits on rate and connections
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
    /// The answer to requests of a lane whose threads are stuck.
    Problem when_stuck = {.status = 503,
                          .code = "OVERLOADED",
                          .detail =
                              "every thread of the server is busy and none gets done; nothing was changed: try "
                              "again in a moment"};
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
