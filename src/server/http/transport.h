#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>

namespace holdfast::http {

namespace asio = boost::asio;

/// The result of a read or a write.
struct Moved {
    boost::system::error_code error = {};
    std::size_t bytes = 0;
};

/// The byte stream of a connection, plain or encrypted. One read and one write may be under way at once. Use it
/// only in the loop's thread.
class Transport {
public:
    virtual ~Transport() = default;
    /// Does the handshake that precedes the first byte of HTTP, if the transport has one. Returns its error.
    virtual asio::awaitable<boost::system::error_code> open() = 0;
    virtual asio::awaitable<Moved> read_some(asio::mutable_buffer into) = 0;
    virtual asio::awaitable<Moved> write_some(asio::const_buffer from) = 0;
    /// Tells the peer that this end sends nothing more. Data from the peer can still be read.
    virtual asio::awaitable<void> finish() = 0;
    /// Ends the read and the write under way with an error; the connection stays open.
    virtual void cancel() = 0;
    virtual void close() = 0;
    [[nodiscard]] virtual bool is_secure() const = 0;
    /// Returns whether the connection is open and has no unread data.
    [[nodiscard]] virtual bool is_quiet() = 0;
};

/// The same for a socket.
[[nodiscard]] bool is_quiet(asio::ip::tcp::socket& socket);

[[nodiscard]] std::unique_ptr<Transport> plain_transport(asio::ip::tcp::socket socket);

}  // namespace holdfast::http
