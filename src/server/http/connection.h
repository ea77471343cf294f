#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "server/http/exchange.h"
#include "server/http/loop_event.h"
#include "server/http/problem.h"
#include "server/http/request_reader.h"
#include "server/http/server_state.h"
#include "server/http/transport.h"

namespace holdfast::http {

/// The part of a sum that one connection contributes; the destructor takes it back.
class Share {
public:
    explicit Share(std::size_t& sum) : sum_(sum) {}
    ~Share() { set(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    void set(std::size_t amount) {
        // Unsigned arithmetic wraps around, so this also subtracts.
        sum_ += amount - amount_;
        amount_ = amount;
    }

private:
    std::size_t& sum_;
    std::size_t amount_ = 0;
};

/// One client connection. It reads each request whole, hands it to a worker thread and writes the answer, one
/// request after the other; a request for an event stream turns the connection into that stream. Use it only in the
/// loop's thread.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    /// `turned_away`: a connection limit is exceeded, so the first request gets a 503, unless it is a probe.
    Connection(ServerState& state, std::unique_ptr<Transport> transport, std::string peer, bool turned_away);
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
    asio::awaitable<bool> answer_by_worker(const std::shared_ptr<Exchange>& exchange);
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
    [[nodiscard]] bool hand_over(const std::shared_ptr<Exchange>& exchange, Lane lane);
    asio::awaitable<void> part_from_sender();
    asio::awaitable<void> listen_meanwhile();
    asio::awaitable<void> stop_listening();

    asio::awaitable<void> serve_stream(EventStream& stream);
    asio::awaitable<void> send_events(StreamSource& source);
    asio::awaitable<void> watch_peer();

    ServerState& state_;
    std::unique_ptr<Transport> transport_;
    const std::string peer_;
    const bool turned_away_;
    std::string input_;  // received bytes that the request reader has not consumed yet
    Share in_hand_;      // the bytes of the body of the current request
    LoopEvent news_;     // wakes the coroutine: an answer, a stream message, or the close
    std::shared_ptr<Deadline> deadline_;
    bool has_served_ = false;
    bool listens_ = false;       // listen_meanwhile() has a read under way
    bool is_answering_ = false;  // the answer is about to be written, so a failed read does not close
    bool is_idle_ = true;        // waits for the first byte of a request
    bool is_closed_ = false;
};

}  // namespace holdfast::http
