#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::http {

/// Listens on an address, or on every address that a host name resolves to. Port 0 selects a free port, the same
/// one for all addresses. Returns the listening acceptors; throws BadInput with a sentence when the server cannot
/// listen.
[[nodiscard]] std::vector<boost::asio::ip::tcp::acceptor> listen_on(boost::asio::io_context& loop,
                                                                    const std::string& address, std::uint16_t port);

/// Returns host and port as a URL has them: "127.0.0.1:7070", "[::1]:7070".
[[nodiscard]] std::string authority_of(const std::string& host, std::uint16_t port);
/// Returns the URL of a server: "http://127.0.0.1:7070", "https://[::1]:7070".
[[nodiscard]] std::string url_of(const std::string& address, std::uint16_t port, bool secure);

/// Returns the address of the remote end, without the port; "unknown" when the socket has lost it. An IPv4-mapped
/// IPv6 address is returned as IPv4.
[[nodiscard]] std::string peer_of(const boost::asio::ip::tcp::socket& socket);

/// Returns the key by which the limits count clients: an IPv4 address, or the /64 network of an IPv6 address,
/// because one IPv6 client can use any address of its network.
[[nodiscard]] std::string client_of(const std::string& peer);

/// Marks the descriptor close-on-exec, so that child processes do not inherit it.
void keep_from_children(int descriptor);

/// The address of a server, as its URL names it.
struct Location {
    bool secure = false;
    std::string host = {};  ///< a host name or an IP address, without brackets
    std::uint16_t port = 0;
};

/// Parses a URL such as "http://127.0.0.1:7070", "https://holdfast.example" or "http://[::1]:7070/". Throws
/// BadInput with a sentence when the URL is malformed, or has a path, a query or a user.
[[nodiscard]] Location parse_location(const std::string& url);

}  // namespace holdfast::http
