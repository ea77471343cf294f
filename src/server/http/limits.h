#pragma once

#include <cstddef>

#include "holdfast/time.h"

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
    Duration header_timeout =
        std::chrono::seconds(10);  ///< from accept, or from the first byte, to the last byte of the header
    Duration body_timeout = std::chrono::seconds(30);
    Duration idle_timeout = std::chrono::seconds(75);   ///< between two requests on a kept-alive connection
    Duration write_timeout = std::chrono::seconds(30);  ///< without any progress
    Duration stream_beat = std::chrono::seconds(15);    ///< interval of the comments on an idle event stream
    std::size_t workers = 4;                            ///< threads for Lane::Usual
    std::size_t max_waiting = 256;                      ///< requests queued for them; beyond it: 503 with Retry-After
    std::size_t dear_workers = 2;                       ///< threads for Lane::Dear
    std::size_t max_dear_waiting = 16;  ///< requests queued for these; beyond it: 503 with Retry-After
};

}  // namespace holdfast::http
