#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>

namespace holdfast::http {

namespace asio = boost::asio;

/// What became of a read or a write.
struct Moved {
    boost::system::error_code error = {};
    std::size_t bytes = 0;
};

/// A connection as bytes see it: plain, or encrypted. One read and one write may be under way at once. Belongs to the
/// loop's thread.
class Transport {
public:
    virtual ~Transport() = default;
    /// Whatever comes before the first byte of HTTP.
    virtual asio::awaitable<boost::system::error_code> open() = 0;
    virtual asio::awaitable<Moved> read_some(asio::mutable_buffer into) = 0;
    virtual asio::awaitable<Moved> write_some(asio::const_buffer from) = 0;
    /// Tells the peer that nothing more comes. What it still sends can be read.
    virtual asio::awaitable<void> finish() = 0;
    /// Whatever is under way ends with an error; the connection stays.
    virtual void cancel() = 0;
    virtual void close() = 0;
    [[nodiscard]] virtual bool is_secure() const = 0;
    /// The connection stands, and nothing has come that was not read.
    [[nodiscard]] virtual bool is_quiet() = 0;
};

/// Of a socket.
[[nodiscard]] bool is_quiet(asio::ip::tcp::socket& socket);

[[nodiscard]] std::unique_ptr<Transport> plain_transport(asio::ip::tcp::socket socket);

}  // namespace holdfast::http
