#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <string>

#include "http/rate_limiter.h"
#include "http/server.h"
#include "http/worker_pool.h"

namespace holdfast::http {

/// What all connections of a server share. Belongs to the loop's thread, but for what is atomic or says otherwise.
struct ServerState {
    ServerState(ServerParams given, Log& destination)
        : params(std::move(given)),
          log(destination),
          rates(params.limits.requests_per_second_per_peer, params.limits.burst_per_peer),
          pool(params.limits.workers, params.limits.max_waiting) {}

    const ServerParams params;
    Log& log;
    boost::asio::io_context loop{1};
    RateLimiter rates;
    std::size_t bytes_in_hand = 0;  // bodies of requests that are not answered yet
    bool stops = false;
    std::string why_it_stops;
    std::atomic<std::size_t> connections = 0;
    std::atomic<std::size_t> streams = 0;
    std::atomic<std::uint64_t> refused = 0;
    WorkerPool pool;  // from any thread; the last member, because its threads use the others
};

}  // namespace holdfast::http
