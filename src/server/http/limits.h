#pragma once

#include <cstddef>

#include "holdfast/time.h"

namespace holdfast::http {

/// How much anybody may ask of a server. What goes beyond gets an answer that says so, where there is still somebody
/// to answer.
struct Limits {
    std::size_t max_header_bytes = 16 * 1024;
    std::size_t max_body_bytes = 8 << 20;
    std::size_t max_target_bytes = 8 * 1024;
    std::size_t max_bytes_in_hand = 256 << 20;  ///< bodies of all requests that are not answered yet; past it 503
    std::size_t max_connections = 10'000;
    std::size_t max_connections_per_peer = 10'000;  ///< loopback included
    double requests_per_second_per_peer = 200;      ///< above it, and its burst: 429 with Retry-After
    double burst_per_peer = 400;
    Duration header_timeout =
        std::chrono::seconds(10);  ///< from the first byte, or from accept, to the last of the header
    Duration body_timeout = std::chrono::seconds(30);
    Duration idle_timeout = std::chrono::seconds(75);   ///< of a connection that is kept alive
    Duration write_timeout = std::chrono::seconds(30);  ///< without any progress
    Duration stream_beat = std::chrono::seconds(15);    ///< a comment on an idle event stream
    std::size_t workers = 4;                            ///< threads in which handlers run
    std::size_t max_waiting = 256;      ///< requests that wait for one of them; past it 503 with Retry-After
    std::size_t dear_workers = 2;       ///< threads for Lane::Dear
    std::size_t max_dear_waiting = 16;  ///< requests that wait for one of those; past it 503 with Retry-After
};

}  // namespace holdfast::http
