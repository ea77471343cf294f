#include "server/http/client.h"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>

#include "base/text.h"
#include "holdfast/errors.h"
#include "server/http/address.h"
#include "server/http/message_reader.h"
#include "server/http/transport.h"

namespace holdfast::http {

namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t read_piece = 64 * 1024;
constexpr Duration look_interval = std::chrono::milliseconds(250);

void require_one_line(std::string_view what, std::string_view text) {
    const auto breaks = [](unsigned char byte) { return byte < ' ' || byte == 0x7f; };
    if (std::ranges::any_of(text, breaks)) throw BadInput(concat(what, " must not contain control characters"));
}

bool changes_nothing(std::string_view method) {
    return method == "GET" || method == "HEAD";
}

asio::awaitable<error_code> write_all(Transport& transport, std::string_view bytes) {
    while (!bytes.empty()) {
        const Moved moved = co_await transport.write_some(asio::buffer(bytes.data(), bytes.size()));
        if (moved.error) co_return moved.error;
        bytes.remove_prefix(moved.bytes);
    }
    co_return error_code{};
}

}  // namespace

class Client::Impl {
public:
    explicit Impl(ClientParams given) : params_(std::move(given)), location_(parse_location(params_.url)) {
        require_one_line("the token", params_.token);
        if (location_.secure) tls_ = tls_for_client(params_.ca_file);
    }

    Answer send(std::string_view method, std::string_view target, std::string_view body, const Headers& headers) {
        const std::string request = request_of(method, target, body, headers);
        const bool is_kept = is_connected();
        try {
            return exchange(method, request);
        } catch (const Unavailable&) {
            // The server may have closed the kept connection just when this request reused it: retry a read-only
            // request.
            if (!is_kept || !changes_nothing(method)) throw;
        }
        return exchange(method, request);
    }

    Answer stream(std::string_view target, const std::function<bool(const ServerSentEvent&)>& receive,
                  const std::function<bool()>& stops, const Headers& headers) {
        Headers with_accept = headers;
        with_accept.emplace_back("Accept", "text/event-stream");
        const std::string request = request_of("GET", target, {}, with_accept);
        disconnect();
        connect_if_needed();
        ask("GET", request);
        ResponseReader reader(false, params_.max_answer_bytes);
        while (!reader.has_head()) read_into(reader, "GET");
        const bool is_stream =
            reader.status() == 200 && reader.header("content-type").starts_with("text/event-stream");
        if (!is_stream) return finish(reader, "GET");
        follow(reader, receive, stops);
        disconnect();
        return {.status = 200, .headers = reader.headers()};
    }

private:
    // ---- The connection

    [[nodiscard]] bool is_connected() { return transport_ != nullptr && transport_->is_quiet(); }

    void disconnect() {
        if (transport_) transport_->close();
        transport_.reset();
        input_.clear();
    }

    void connect_if_needed() {
        if (is_connected()) return;
        disconnect();
        error_code failure;
        const auto endpoints = tcp::resolver(loop_).resolve(location_.host, std::to_string(location_.port), failure);
        if (failure) throw Unavailable(concat(unreachable(), "its name is not known (", failure.message(), ")"));
        tcp::socket socket(loop_);
        const auto connected = run(asio::async_connect(socket, endpoints, asio::as_tuple(asio::use_awaitable)),
                                   params_.connect_timeout, [&] { socket.close(); });
        if (!connected) throw Unavailable(concat(unreachable(), "it does not answer"));
        failure = std::get<error_code>(*connected);
        if (failure == asio::error::connection_refused)
            throw Unavailable(concat(unreachable(), "nothing listens there; is it running?"));
        if (failure) throw Unavailable(concat(unreachable(), failure.message()));
        keep_from_children(socket.native_handle());
        socket.set_option(tcp::no_delay(true), failure);
        open(std::move(socket));
    }

    void open(tcp::socket socket) {
        transport_ = std::make_unique<Transport>(std::move(socket), tls_, location_.host);
        const auto opened = run(transport_->open(), params_.connect_timeout, [&] { transport_->close(); });
        if (opened && !*opened) return;
        disconnect();
        if (!opened) throw Unavailable(concat(unreachable(), "it accepts the connection, but says nothing"));
        if (opened->category() == asio::error::get_ssl_category())
            throw Unusable(concat("the server at ", params_.url, " is not trusted: ", opened->message()));
        throw Unavailable(concat(unreachable(), opened->message()));
    }

    /// Runs the work to its end. Returns nullopt when it exceeds `at_most`; `give_up` must then make it end.
    template <typename Result>
    std::optional<Result> run(asio::awaitable<Result> work, Duration at_most, const std::function<void()>& give_up) {
        std::optional<Result> result;
        start(std::move(work), result);
        loop_.run_for(at_most);
        if (result) return result;
        give_up();
        loop_.run();
        return std::nullopt;
    }

    template <typename Result>
    void start(asio::awaitable<Result> work, std::optional<Result>& result) {
        loop_.restart();
        asio::co_spawn(loop_, std::move(work), [&result](const std::exception_ptr& failure, Result value) {
            if (failure) std::rethrow_exception(failure);
            result = std::move(value);
        });
    }

    // ---- One request

    [[nodiscard]] std::string request_of(std::string_view method, std::string_view target, std::string_view body,
                                         const Headers& headers) const {
        require_one_line("the target of a request", target);
        std::string request = concat(method, " ", target, " HTTP/1.1\r\n");
        request += concat("Host: ", authority_of(location_.host, location_.port), "\r\n");
        if (!params_.token.empty()) request += concat("Authorization: Bearer ", params_.token, "\r\n");
        bool has_type = false;
        for (const auto& [name, value] : headers) {
            require_one_line("a header", concat(name, value));
            request += concat(name, ": ", value, "\r\n");
            has_type = has_type || name == "Content-Type" || name == "content-type";
        }
        if (!body.empty() && !has_type) request += "Content-Type: application/json\r\n";
        if (!body.empty() || !changes_nothing(method)) request += concat("Content-Length: ", body.size(), "\r\n");
        return concat(request, "\r\n", body);
    }

    Answer exchange(std::string_view method, const std::string& request) {
        connect_if_needed();
        ask(method, request);
        ResponseReader reader(method == "HEAD", params_.max_answer_bytes);
        return finish(reader, method);
    }

    void ask(std::string_view method, const std::string& request) {
        const auto written =
            run(write_all(*transport_, request), params_.answer_timeout, [&] { transport_->close(); });
        // A failed write is ignored here: a server that refuses a large body answers before it has read the whole
        // body. Only a timeout ends the exchange.
        if (!written) lose(method, "it does not take the request");
    }

    Answer finish(ResponseReader& reader, std::string_view method) {
        while (!reader.is_complete()) read_into(reader, method);
        if (!reader.keeps_alive()) disconnect();
        return {.status = reader.status(), .headers = reader.headers(), .body = std::move(reader.body())};
    }

    /// Reads once and feeds the reader. Throws when the connection ends before the answer is complete.
    void read_into(ResponseReader& reader, std::string_view method) {
        const auto moved =
            run(transport_->read_some(asio::buffer(piece_)), params_.answer_timeout, [&] { transport_->close(); });
        if (!moved) lose(method, concat("no answer came within ", format_duration(params_.answer_timeout)));
        accept(reader, *moved, method);
    }

    void accept(ResponseReader& reader, const Moved& moved, std::string_view method) {
        if (moved.error) {
            if (!reader.end()) lose(method, "the connection was lost");
            return disconnect();
        }
        input_.append(piece_.data(), moved.bytes);
        try {
            input_.erase(0, reader.feed(input_));
        } catch (const Unusable& defect) {
            disconnect();
            throw Unusable(concat("at ", params_.url, ": ", defect.what()));
        }
    }

    [[noreturn]] void lose(std::string_view method, std::string_view why) {
        disconnect();
        const std::string sentence = concat("the server at ", params_.url, " has not answered: ", why);
        if (changes_nothing(method)) throw Unavailable(sentence);
        throw CommitInDoubt(concat(sentence, "; what was asked may or may not have been done"));
    }

    [[nodiscard]] std::string unreachable() const {
        return concat("the server at ", params_.url, " cannot be reached: ");
    }

    // ---- A stream

    void follow(ResponseReader& reader, const std::function<bool(const ServerSentEvent&)>& receive,
                const std::function<bool()>& stops) {
        EventReader events;
        while (true) {
            for (const ServerSentEvent& event : events.feed(std::exchange(reader.body(), "")))
                if (!receive(event)) return;
            if (reader.is_complete()) return;
            const auto moved = read_unless(stops);
            if (!moved) return;
            accept(reader, *moved, "GET");
        }
    }

    /// Reads once. Returns nullopt when `stops` returns true before data arrives.
    std::optional<Moved> read_unless(const std::function<bool()>& stops) {
        std::optional<Moved> moved;
        start(transport_->read_some(asio::buffer(piece_)), moved);
        while (!moved) {
            loop_.run_for(look_interval);
            if (moved || !stops()) continue;
            transport_->close();
            loop_.run();
            return std::nullopt;
        }
        return moved;
    }

    const ClientParams params_;
    const Location location_;
    asio::io_context loop_{1};
    TlsContext tls_;                        // null: plain HTTP
    std::unique_ptr<Transport> transport_;  // null: not connected
    std::array<char, read_piece> piece_ = {};
    std::string input_;  // received bytes that are still unused
};

Client::Client(ClientParams params) : impl_(std::make_unique<Impl>(std::move(params))) {}
Client::~Client() = default;

Client::Answer Client::send(std::string_view method, std::string_view target, std::string_view body,
                            const Headers& headers) {
    return impl_->send(method, target, body, headers);
}

Client::Answer Client::stream(std::string_view target, const std::function<bool(const ServerSentEvent&)>& receive,
                              const std::function<bool()>& stops, const Headers& headers) {
    return impl_->stream(target, receive, stops, headers);
}

}  // namespace holdfast::http
