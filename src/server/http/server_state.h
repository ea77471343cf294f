#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <string>

#include "base/log.h"
#include "server/http/rate_limiter.h"
#include "server/http/server_params.h"
#include "server/http/worker_pool.h"

namespace holdfast::http {

/// The state that all connections of a server share. Use it only in the loop's thread, except for the atomic
/// members and the pools.
struct ServerState {
    ServerState(ServerParams given, Log& destination)
        : params(std::move(given)),
          log(destination),
          rates(params.limits.requests_per_second_per_peer, params.limits.burst_per_peer),
          pool(params.limits.workers, params.limits.max_waiting),
          dear(params.limits.dear_workers, params.limits.max_dear_waiting),
          probes(1, most_waiting_probes) {}

    [[nodiscard]] WorkerPool& pool_of(Lane lane) {
        if (lane == Lane::Probe) return probes;
        return lane == Lane::Dear ? dear : pool;
    }
    [[nodiscard]] std::size_t waiting() const { return pool.waiting() + dear.waiting() + probes.waiting(); }
    void stop_pools() {
        for (WorkerPool* each : {&pool, &dear, &probes}) each->stop();
    }

    static constexpr std::size_t most_waiting_probes = 64;

    const ServerParams params;
    Log& log;
    boost::asio::io_context loop{1};
    RateLimiter rates;
    std::size_t bytes_in_hand = 0;  // bodies of the unanswered requests
    bool stops = false;
    std::string why_it_stops;
    std::atomic<std::size_t> connections = 0;
    std::atomic<std::size_t> streams = 0;
    std::atomic<std::uint64_t> refused = 0;
    // For any thread. Declared last, so destroyed first, because their threads use the other members.
    WorkerPool pool;
    WorkerPool dear;
    WorkerPool probes;
};

}  // namespace holdfast::http
