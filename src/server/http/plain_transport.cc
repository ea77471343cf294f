#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>

#include "server/http/transport.h"

namespace holdfast::http {

namespace {

using boost::system::error_code;

class PlainTransport final : public Transport {
public:
    explicit PlainTransport(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

    asio::awaitable<error_code> open() override { co_return error_code{}; }

    asio::awaitable<Moved> read_some(asio::mutable_buffer into) override {
        Moved moved;
        moved.bytes = co_await socket_.async_read_some(into, asio::redirect_error(asio::use_awaitable, moved.error));
        co_return moved;
    }

    asio::awaitable<Moved> write_some(asio::const_buffer from) override {
        Moved moved;
        moved.bytes = co_await socket_.async_write_some(from, asio::redirect_error(asio::use_awaitable, moved.error));
        co_return moved;
    }

    asio::awaitable<void> finish() override {
        error_code ignored;
        socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
        co_return;
    }

    void cancel() override {
        error_code ignored;
        socket_.cancel(ignored);
    }

    void close() override {
        error_code ignored;
        socket_.close(ignored);
    }

    [[nodiscard]] bool is_secure() const override { return false; }
    [[nodiscard]] bool is_quiet() override { return http::is_quiet(socket_); }

private:
    asio::ip::tcp::socket socket_;
};

}  // namespace

bool is_quiet(asio::ip::tcp::socket& socket) {
    char byte = 0;
    if (!socket.is_open()) return false;
    return ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

std::unique_ptr<Transport> plain_transport(asio::ip::tcp::socket socket) {
    return std::make_unique<PlainTransport>(std::move(socket));
}

}  // namespace holdfast::http
