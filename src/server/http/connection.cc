#include "server/http/connection.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

#include "server/http/address.h"

namespace holdfast::http {

namespace {

constexpr std::size_t head_piece = 4 * 1024;
constexpr std::size_t body_piece = 64 * 1024;
constexpr Duration parting_time = std::chrono::seconds(1);
constexpr std::size_t parting_bytes = 1 << 20;
constexpr std::size_t max_chatter_bytes = 64 * 1024;  // that a client may send while it receives a stream
constexpr Duration longest_silence_of_reader = std::chrono::seconds(4);
constexpr int dear_retry_seconds = 5;
constexpr int stuck_retry_seconds = 2;
constexpr Duration without_end = std::chrono::hours(24 * 365);

Problem overload(const char* detail) {
    return {.status = 503, .code = "OVERLOADED", .detail = detail};
}

const Problem overloaded = overload("more requests wait than the server can take; try again soon");
const Problem too_many_dear = overload(
    "the server is busy with as many costly requests (checks of definitions, large bodies, recovery orders) as it "
    "takes; try again soon");
const Problem too_many_bytes =
    overload("the requests under way are as large as they may be together; try again soon");
const Problem too_many_connections = overload("the server has as many connections as it may; try again soon");
const Problem stops_meanwhile = overload("the server stops before there is an answer; ask again");
const Problem too_many_requests = {.status = 429,
                                   .code = "TOO_MANY_REQUESTS",
                                   .detail = "this address asks more often than the server allows; slow down"};
const Problem too_slow = {
    .status = 408, .code = "BAD_REQUEST", .detail = "the request did not arrive in the time allowed"};

ServerSentEvent good_bye(const std::string& reason) {
    const nlohmann::json data = {{"reason", reason}};
    return {.event = "bye", .data = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace

Connection::Connection(ServerState& state, asio::ip::tcp::socket socket, TlsContext tls, std::string peer,
                       bool turned_away)
    : state_(state),
      transport_(std::move(socket), std::move(tls)),
      peer_(std::move(peer)),
      turned_away_(turned_away),
      in_hand_(state.bytes_in_hand),
      news_(*state.loop),
      // A missed deadline cancels the read or write under way, which then returns an error.
      deadline_(std::make_shared<Deadline>(*state.loop, [this] { transport_.cancel(); })) {}

Connection::~Connection() {
    deadline_->drop();
}

asio::awaitable<void> Connection::run() {
    deadline_->set(limits().header_timeout);
    const boost::system::error_code failure = co_await transport_.open();
    bool goes_on = !failure;
    while (goes_on && !is_closed_ && !state_.stops) goes_on = co_await serve_one();
    close();
}

void Connection::retire() {
    if (is_idle_) close();
    news_.set();
}

void Connection::close() {
    if (is_closed_) return;
    is_closed_ = true;
    deadline_->drop();
    transport_.close();
    news_.set();
}

// ---- Requests ----------------------------------------------------------------------------------------------------

asio::awaitable<bool> Connection::serve_one() {
    RequestReader reader(limits());
    const bool has_come = co_await read_request(reader);
    // A timeout in the middle of a request gets a 408; an idle connection is closed without an answer.
    bool goes_on = false;
    if (reader.state() == RequestReader::State::Refused) {
        goes_on = co_await refuse(reader, reader.problem());
    } else if (has_come) {
        goes_on = co_await answer(reader);
    } else if (deadline_->was_missed() && !is_idle_) {
        goes_on = co_await refuse(reader, too_slow);
    }
    has_served_ = true;
    in_hand_.set(0);
    co_return goes_on;
}

asio::awaitable<bool> Connection::read_request(RequestReader& reader) {
    using State = RequestReader::State;
    bool has_continued = false;
    is_idle_ = input_.empty();
    if (is_idle_) input_ = {};  // an idle connection frees its buffer
    if (has_served_) deadline_->set(is_idle_ ? limits().idle_timeout : limits().header_timeout);
    while (true) {
        const bool was_in_head = reader.state() == State::Head;
        input_.erase(0, reader.feed(input_));
        in_hand_.set(reader.body_bytes());
        // The sum over all connections is limited. A request without a body always passes.
        if (reader.body_bytes() > 0 && state_.bytes_in_hand > limits().max_bytes_in_hand)
            reader.refuse(too_many_bytes);
        if (reader.state() == State::Refused) in_hand_.set(0);
        if (reader.state() == State::Complete || reader.state() == State::Refused) co_return true;
        if (was_in_head && reader.state() == State::Body) deadline_->set(limits().body_timeout);
        bool has_more = false;
        if (reader.state() == State::Body)
            has_more = co_await read_body_part(reader, has_continued);
        else
            has_more = co_await read_more(head_piece);
        if (!has_more) co_return false;
        // The first byte of a later request ends the idle timeout and starts the header timeout.
        if (is_idle_ && has_served_) deadline_->set(limits().header_timeout);
        is_idle_ = false;
    }
}

asio::awaitable<bool> Connection::read_body_part(RequestReader& reader, bool& has_continued) {
    if (!has_continued && input_.empty() && reader.wants_continue()) {
        has_continued = true;
        const bool is_written = co_await write(std::string_view("HTTP/1.1 100 Continue\r\n\r\n"));
        if (!is_written) co_return false;
        deadline_->set(limits().body_timeout);
    }
    co_return co_await read_more(body_piece);
}

asio::awaitable<bool> Connection::read_more(std::size_t at_most) {
    const std::size_t before = input_.size();
    input_.resize(before + at_most);
    const Moved moved = co_await transport_.read_some(asio::buffer(input_.data() + before, at_most));
    input_.resize(before + moved.bytes);
    co_return !moved.error;
}

Exchange Connection::exchange_of(RequestReader& reader) const {
    Exchange exchange;
    exchange.terms = {.head_only = reader.wants_head_only(),
                      .keeps_alive = reader.keeps_alive() && !state_.stops && !turned_away_,
                      .secure = transport_.is_secure()};
    exchange.request = reader.take();
    exchange.request.peer = peer_;
    exchange.request.secure = transport_.is_secure();
    return exchange;
}

asio::awaitable<bool> Connection::answer(RequestReader& reader) {
    const auto exchange = std::make_shared<Exchange>(exchange_of(reader));
    const Lane lane = state_.params.lane(exchange->request);
    std::optional<Response> objected = objection(lane);
    if (!objected && !hand_over(exchange, lane))
        objected = lane == Lane::Dear ? to_response(too_many_dear, dear_retry_seconds) : to_response(overloaded, 1);
    if (!objected) co_return co_await answer_by_worker(exchange, lane);
    ++state_.refused;
    co_return co_await answer_at_once(*exchange, *objected);
}

std::optional<Response> Connection::objection(Lane lane) {
    if (lane == Lane::Probe) return std::nullopt;
    if (turned_away_) return to_response(too_many_connections, 1);
    RateLimiter& rates = state_.rates_of(lane);
    if (!rates.admit(client_of(peer_), std::chrono::steady_clock::now()))
        return to_response(too_many_requests, rates.retry_after_seconds());
    if (state_.is_stuck(lane)) return stuck_response();
    return std::nullopt;
}

Response Connection::stuck_response() const {
    return to_response(state_.params.when_stuck, stuck_retry_seconds);
}

bool Connection::withdraw(const Exchange& exchange, Lane lane) {
    return state_.is_stuck(lane) && !exchange.is_decided->exchange(true);
}

/// Returns a function that wakes this connection. Any thread may call it, even after the connection and the server
/// are gone. Several calls before the loop has handled the first one count as one.
std::function<void()> Connection::waker() {
    return [loop = std::weak_ptr(state_.loop), weak = weak_from_this(),
            is_posted = std::make_shared<std::atomic<bool>>(false)] {
        const auto running = loop.lock();
        if (!running || is_posted->exchange(true)) return;
        asio::post(*running, [weak, is_posted] {
            *is_posted = false;
            if (const auto self = weak.lock()) self->news_.set();
        });
    };
}

/// The worker owns a share of the exchange, so the connection may close first; the outcome is then dropped.
bool Connection::hand_over(const std::shared_ptr<Exchange>& exchange, Lane lane) {
    return state_.pool_of(lane).try_run([exchange, &state = state_, weak = weak_from_this()] {
        if (exchange->is_decided->exchange(true)) return;
        carry_out(*exchange, state.params, state.log);
        asio::post(*state.loop, [exchange, weak] {
            exchange->is_back = true;
            if (const auto self = weak.lock()) self->news_.set();
        });
    });
}

/// Waits for the worker without a deadline: a handler may block for as long as it needs. A request that no worker has
/// begun with is withdrawn when its lane is stuck.
asio::awaitable<bool> Connection::answer_by_worker(const std::shared_ptr<Exchange>& exchange, Lane lane) {
    deadline_->clear();
    while (!exchange->is_back && !is_closed_) {
        co_await news_.wait_for(state_.patience_of(lane));
        const bool is_withdrawn = !exchange->is_back && !is_closed_ && withdraw(*exchange, lane);
        if (is_withdrawn) co_return co_await answer_withdrawn(*exchange);
    }
    if (is_closed_) co_return false;
    if (auto* stream = std::get_if<EventStream>(&exchange->outcome)) {
        // A stream may stay open for days: free the memory of its request first.
        EventStream opened = std::move(*stream);
        exchange->request = {};
        in_hand_.set(0);
        co_await serve_stream(opened);
        co_return false;
    }
    if (auto* deferred = std::get_if<Deferred>(&exchange->outcome)) {
        const bool goes_on = co_await answer_later(*exchange, *deferred->reply);
        co_return goes_on;
    }
    co_return co_await conclude(std::get<Answer>(exchange->outcome), exchange->terms.keeps_alive);
}

asio::awaitable<bool> Connection::answer_withdrawn(Exchange& exchange) {
    ++state_.refused;
    Response response = stuck_response();
    co_return co_await answer_at_once(exchange, response);
}

asio::awaitable<bool> Connection::answer_later(Exchange& exchange, DeferredReply& reply) {
    reply.on_complete(waker());
    listens_ = true;
    asio::co_spawn(
        *state_.loop, [self = shared_from_this()] { return self->listen_meanwhile(); }, asio::detached);
    std::optional<Response> response = reply.take();
    while (!response && !is_closed_ && !state_.stops) {
        co_await news_.wait_for(without_end);
        response = reply.take();
    }
    // Without a response, either the connection is closed or the server stops.
    if (!response) reply.abandon();
    co_await stop_listening();
    if (is_closed_) co_return false;
    if (!response) response = to_response(stops_meanwhile, 1);
    if (state_.stops) exchange.terms.keeps_alive = false;
    co_return co_await answer_at_once(exchange, *response);
}

/// Detects that the client disconnects while its answer is pending. Any bytes received are the beginning of the
/// next request.
asio::awaitable<void> Connection::listen_meanwhile() {
    bool is_there = true;
    if (input_.empty()) is_there = co_await read_more(head_piece);
    listens_ = false;
    if (!is_there && !is_answering_) close();
    news_.set();
}

/// Ends the read of listen_meanwhile(), so that the next request can be read.
asio::awaitable<void> Connection::stop_listening() {
    is_answering_ = true;
    if (listens_) transport_.cancel();
    while (listens_) co_await news_.wait_for(without_end);
    is_answering_ = false;
}

asio::awaitable<bool> Connection::answer_at_once(Exchange& exchange, Response& response) {
    Answer answer = answer_with(std::move(response), exchange, state_.params, state_.log);
    co_return co_await conclude(answer, exchange.terms.keeps_alive);
}

asio::awaitable<bool> Connection::conclude(Answer& answer, bool keeps_alive) {
    const bool is_written = co_await write(answer);
    const bool goes_on = is_written && keeps_alive;
    if (is_written && !goes_on) co_await part_from_sender();
    co_return goes_on;
}

asio::awaitable<bool> Connection::refuse(RequestReader& reader, const Problem& problem) {
    ++state_.refused;
    Exchange exchange = exchange_of(reader);
    exchange.terms.keeps_alive = false;
    Response response = to_response(problem, problem.status == overloaded.status ? std::optional(1) : std::nullopt);
    co_return co_await answer_at_once(exchange, response);
}

asio::awaitable<bool> Connection::write(Answer& answer) {
    constexpr std::size_t worth_a_write_of_its_own = 16 * 1024;
    const bool is_joined = answer.payload().size() < worth_a_write_of_its_own;
    // A small body goes out in one write with its head.
    if (is_joined) answer.head += answer.payload();
    const bool is_begun = co_await write(std::string_view(answer.head));
    if (is_joined || !is_begun) co_return is_begun;
    co_return co_await write(answer.payload());
}

asio::awaitable<bool> Connection::write(std::string_view bytes) {
    while (!bytes.empty()) {
        // Each partial write restarts the timeout: a slow client is fine as long as it makes progress.
        deadline_->set(limits().write_timeout);
        const Moved moved = co_await transport_.write_some(asio::buffer(bytes.data(), bytes.size()));
        if (moved.error) co_return false;
        bytes.remove_prefix(moved.bytes);
    }
    co_return !is_closed_;
}

/// Reads on for a moment before the close: closing while the client still sends would reset the connection and
/// could discard the answer on its way.
asio::awaitable<void> Connection::part_from_sender() {
    deadline_->set(parting_time);
    co_await transport_.finish();
    std::size_t heard = 0;
    while (heard < parting_bytes && !is_closed_ && !deadline_->was_missed()) {
        input_.resize(head_piece);
        const Moved moved = co_await transport_.read_some(asio::buffer(input_.data(), input_.size()));
        if (moved.error) break;
        heard += moved.bytes;
    }
}

// ---- Streams -----------------------------------------------------------------------------------------------------

asio::awaitable<void> Connection::serve_stream(EventStream& stream) {
    const std::string head = stream_head(stream, transport_.is_secure());
    input_ = {};
    transport_.give_up_on_silence(longest_silence_of_reader);
    const Share is_open(state_.streams, 1);
    stream.source->on_news(waker());
    asio::co_spawn(
        *state_.loop, [self = shared_from_this()] { return self->watch_peer(); }, asio::detached);
    const bool is_begun = co_await write(std::string_view(head));
    if (is_begun) co_await send_events(*stream.source);
}

asio::awaitable<void> Connection::send_events(StreamSource& source) {
    bool is_last = false;
    while (!is_last && !is_closed_) {
        // Checked before take(), so that the messages queued before the end are still sent.
        is_last = source.ended() || state_.stops;
        std::string text = to_stream_text(source.take());
        if (state_.stops) text += to_stream_text({good_bye(state_.why_it_stops)});
        if (text.empty() && !is_last) {
            deadline_->clear();
            const bool has_news = co_await news_.wait_for(limits().stream_beat);
            if (has_news) continue;
            text = ": beat\n\n";
        }
        const bool is_written = co_await write(std::string_view(text));
        if (!is_written) co_return;
    }
    deadline_->set(parting_time);
    co_await transport_.finish();
}

/// Detects that the client of a stream disconnects. Its input is discarded; too much of it closes the connection.
asio::awaitable<void> Connection::watch_peer() {
    std::array<char, 128> chatter = {};
    std::size_t heard = 0;
    while (heard <= max_chatter_bytes && !is_closed_) {
        const Moved moved = co_await transport_.read_some(asio::buffer(chatter));
        if (moved.error) break;
        heard += moved.bytes;
    }
    close();
}

}  // namespace holdfast::http
