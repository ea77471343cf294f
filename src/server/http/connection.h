#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/assert.h"
#include "base/log.h"
#include "server/http/answer.h"
#include "server/http/loop_event.h"
#include "server/http/message_reader.h"
#include "server/http/rate_limiter.h"
#include "server/http/server_params.h"
#include "server/http/transport.h"
#include "server/http/worker_pool.h"

namespace holdfast::http {

/// The state that all connections of a server share. Use it only in the loop's thread, except for the atomic
/// members and the pools.
struct ServerState {
    [[nodiscard]] WorkerPool& pool_of(Lane lane) {
        switch (lane) {
            case Lane::Usual:
                return pool;
            case Lane::Dear:
                return dear;
            case Lane::Work:
                return work;
            case Lane::Memory:
                return memory;
            case Lane::Probe:
                return probes;
        }
        HOLDFAST_ASSERT(false);
    }
    [[nodiscard]] std::size_t waiting() const {
        return pool.waiting() + dear.waiting() + work.waiting() + memory.waiting() + probes.waiting();
    }
    [[nodiscard]] Duration patience_of(Lane lane) const {
        return lane == Lane::Dear ? params.limits.dear_stuck_after : params.limits.stuck_after;
    }
    [[nodiscard]] RateLimiter& rates_of(Lane lane) { return lane == Lane::Work ? work_rates : rates; }
    [[nodiscard]] bool is_stuck(Lane lane) { return pool_of(lane).is_stuck(patience_of(lane)); }
    void stop_pools() {
        for (WorkerPool* each : {&pool, &dear, &work, &memory, &probes}) each->stop();
    }

    static constexpr std::size_t most_waiting_probes = 64;

    const ServerParams params;
    Log& log;
    /// Shared with the functions that wake a connection, which other threads may call after the server is gone.
    const std::shared_ptr<asio::io_context> loop = std::make_shared<asio::io_context>(1);
    RateLimiter rates{params.limits.requests_per_second_per_peer, params.limits.burst_per_peer};
    RateLimiter work_rates{params.limits.work_per_second_per_peer, params.limits.work_burst_per_peer};
    std::size_t bytes_in_hand = 0;  // bodies of the unanswered requests
    bool stops = false;
    std::string why_it_stops = {};
    std::atomic<std::size_t> connections = 0;
    std::atomic<std::size_t> streams = 0;
    std::atomic<std::uint64_t> refused = 0;
    // For any thread. Declared last, so destroyed first, because their threads use the other members.
    WorkerPool pool{params.limits.workers, params.limits.max_waiting};
    WorkerPool dear{params.limits.dear_workers, params.limits.max_dear_waiting};
    WorkerPool work{params.limits.work_workers, params.limits.max_work_waiting};
    WorkerPool memory{params.limits.memory_workers, params.limits.max_waiting};
    WorkerPool probes{1, most_waiting_probes};
};

/// The part of a sum that one connection contributes; the destructor takes it back.
template <typename Sum>
class Share {
public:
    explicit Share(Sum& sum, std::size_t amount = 0) : sum_(sum) { set(amount); }
    ~Share() { set(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    void set(std::size_t amount) {
        // Unsigned arithmetic wraps around, so this also subtracts.
        sum_ += amount - amount_;
        amount_ = amount;
    }

private:
    Sum& sum_;
    std::size_t amount_ = 0;
};

/// One client connection. It reads each request whole, hands it to a worker thread and writes the answer, one
/// request after the other; a request for an event stream turns the connection into that stream. Use it only in the
/// loop's thread.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    /// `turned_away`: a connection limit is exceeded, so the first request gets a 503, unless it is a probe.
    Connection(ServerState& state, asio::ip::tcp::socket socket, TlsContext tls, std::string peer, bool turned_away);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Serves requests until the client disconnects or the server closes the connection.
    asio::awaitable<void> run();
    /// Called when the server stops. Closes the connection if it is idle, ends a stream with a `bye` event, and
    /// lets a request under way finish.
    void retire();
    /// Closes the connection at once, whatever it is doing. May be called more than once.
    void close();
    [[nodiscard]] const std::string& peer() const { return peer_; }

private:
    [[nodiscard]] const Limits& limits() const { return state_.params.limits; }

    // Each of these returns whether the connection may go on to another request.
    asio::awaitable<bool> serve_one();
    asio::awaitable<bool> answer(RequestReader& reader);
    asio::awaitable<bool> answer_by_worker(const std::shared_ptr<Exchange>& exchange, Lane lane);
    asio::awaitable<bool> answer_withdrawn(Exchange& exchange);
    asio::awaitable<bool> answer_later(Exchange& exchange, DeferredReply& reply);
    asio::awaitable<bool> answer_at_once(Exchange& exchange, Response& response);
    asio::awaitable<bool> conclude(Answer& answer, bool keeps_alive);
    asio::awaitable<bool> refuse(RequestReader& reader, const Problem& problem);

    // Each of these returns false when the client has disconnected or a timeout has expired.
    asio::awaitable<bool> read_request(RequestReader& reader);
    asio::awaitable<bool> read_body_part(RequestReader& reader, bool& has_continued);
    asio::awaitable<bool> read_more(std::size_t at_most);
    asio::awaitable<bool> write(Answer& answer);
    asio::awaitable<bool> write(std::string_view bytes);

    [[nodiscard]] Exchange exchange_of(RequestReader& reader) const;
    [[nodiscard]] std::optional<Response> objection(Lane lane);
    [[nodiscard]] Response stuck_response() const;
    /// Takes a request back from the queue of a lane that is stuck. Returns false when a thread has begun with it.
    [[nodiscard]] bool withdraw(const Exchange& exchange, Lane lane);
    [[nodiscard]] std::function<void()> waker();
    [[nodiscard]] bool hand_over(const std::shared_ptr<Exchange>& exchange, Lane lane);
    asio::awaitable<void> part_from_sender();
    asio::awaitable<void> listen_meanwhile();
    asio::awaitable<void> stop_listening();

    asio::awaitable<void> serve_stream(EventStream& stream);
    asio::awaitable<void> send_events(StreamSource& source);
    asio::awaitable<void> watch_peer();

    ServerState& state_;
    Transport transport_;
    const std::string peer_;
    const bool turned_away_;
    std::string input_;           // received bytes that the request reader has not consumed yet
    Share<std::size_t> in_hand_;  // the bytes of the body of the current request
    LoopEvent news_;              // wakes the coroutine: an answer, a stream message, or the close
    std::shared_ptr<Deadline> deadline_;
    bool has_served_ = false;
    bool listens_ = false;       // listen_meanwhile() has a read under way
    bool is_answering_ = false;  // the answer is about to be written, so a failed read does not close
    bool is_idle_ = true;        // waits for the first byte of a request
    bool is_closed_ = false;
};

}  // namespace holdfast::http
