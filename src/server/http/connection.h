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

/// What one connection contributes to a sum.
class Share {
public:
    explicit Share(std::size_t& sum) : sum_(sum) {}
    ~Share() { set(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    void set(std::size_t amount) {
        sum_ += amount - amount_;
        amount_ = amount;
    }

private:
    std::size_t& sum_;
    std::size_t amount_ = 0;
};

/// One client: its requests one after the other, each read whole, handed to a worker thread and answered; or, from
/// the request that asks for one, an event stream. Belongs to the loop's thread.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    /// `turned_away`: there are too many already, and its first request is told so.
    Connection(ServerState& state, std::unique_ptr<Transport> transport, std::string peer, bool turned_away);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Until the client has gone, or had to.
    asio::awaitable<void> run();
    /// The server stops: whoever is not in the middle of a request goes, streams with a good-bye.
    void retire();
    /// At once, whatever it is doing.
    void close();
    [[nodiscard]] const std::string& peer() const { return peer_; }

private:
    [[nodiscard]] const Limits& limits() const { return state_.params.limits; }

    // Each of the next returns whether the connection may go on to another request.
    asio::awaitable<bool> serve_one();
    asio::awaitable<bool> answer(RequestReader& reader);
    asio::awaitable<bool> answer_by_worker(const std::shared_ptr<Exchange>& exchange);
    asio::awaitable<bool> answer_later(Exchange& exchange, DeferredReply& reply);
    asio::awaitable<bool> answer_at_once(Exchange& exchange, Response& response);
    asio::awaitable<bool> conclude(Answer& answer, bool keeps_alive);
    asio::awaitable<bool> refuse(RequestReader& reader, const Problem& problem);

    // Each of the next returns false when the client has gone, or took too long.
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
    std::string input_;  // what has come and belongs to no request yet
    Share in_hand_;      // of the bytes of bodies
    LoopEvent news_;     // the answer is there; the stream has something to send; the connection closes
    std::shared_ptr<Deadline> deadline_;
    bool has_served_ = false;
    bool listens_ = false;       // to a client that waits for its answer
    bool is_answering_ = false;  // and need not be heard any longer
    bool is_idle_ = true;        // waits for the first byte of a request
    bool is_closed_ = false;
};

}  // namespace holdfast::http
