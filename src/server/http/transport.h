#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <optional>
#include <string>

#include "server/http/server_params.h"

namespace holdfast::http {

namespace asio = boost::asio;

using TlsContext = std::shared_ptr<asio::ssl::context>;

/// Returns a context for TLS 1.2 with forward secrecy, or later, with this certificate. Throws BadInput with a
/// sentence when the files are unusable.
[[nodiscard]] TlsContext tls_for_server(const TlsFiles& files);
/// Returns a context that trusts the authorities of this PEM file only, or those of the system when it is empty.
[[nodiscard]] TlsContext tls_for_client(const std::string& ca_file);

/// The result of a read or a write.
struct Moved {
    boost::system::error_code error = {};
    std::size_t bytes = 0;
};

/// The byte stream of a connection, encrypted or, when `tls` is null, plain. One read and one write may be under way
/// at once. Use it only in the loop's thread.
class Transport {
public:
    /// The server's end.
    Transport(asio::ip::tcp::socket socket, TlsContext tls);
    /// The client's end. Over TLS, open() fails unless the peer's certificate is valid for `host`.
    Transport(asio::ip::tcp::socket socket, TlsContext tls, const std::string& host);
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// Does the handshake of TLS. Returns its error.
    asio::awaitable<boost::system::error_code> open();
    asio::awaitable<Moved> read_some(asio::mutable_buffer into);
    asio::awaitable<Moved> write_some(asio::const_buffer from);
    /// Tells the peer that this end sends nothing more. The caller may read on to drain the connection: the bytes
    /// that arrive are not decrypted any more.
    asio::awaitable<void> finish();
    /// Ends the read and the write under way with an error; the connection stays open.
    void cancel();
    void close();
    /// From now on the connection ends when the peer has not acknowledged data for that long.
    void give_up_on_silence(Duration patience);
    [[nodiscard]] bool is_secure() const { return tls_.has_value(); }
    /// Returns whether the connection is open and has no unread data.
    [[nodiscard]] bool is_quiet();

private:
    asio::ip::tcp::socket socket_;
    const TlsContext context_;
    std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;  // unset: plain
    asio::ssl::stream_base::handshake_type side_ = asio::ssl::stream_base::server;
    bool is_finished_ = false;
};

}  // namespace holdfast::http
