#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <vector>

namespace holdfast::http {

/// Listens on an address, or on every address that a name stands for; port 0: any that is free, the same on all.
/// Throws BadInput with a sentence when it cannot.
[[nodiscard]] std::vector<boost::asio::ip::tcp::acceptor> listen_on(boost::asio::io_context& loop,
                                                                    const std::string& address, std::uint16_t port);

/// "http://127.0.0.1:7070", "https://[::1]:7070".
[[nodiscard]] std::string url_of(const std::string& address, std::uint16_t port, bool secure);

/// Who a connection is from, without the port; an IPv4 address that came through IPv6 as what it is.
[[nodiscard]] std::string peer_of(const boost::asio::ip::tcp::socket& socket);

/// Who is counted as one client: an IPv4 address, or the network that an IPv6 address is in (its first 64 bits),
/// since everybody there has as many addresses as they like.
[[nodiscard]] std::string client_of(const std::string& peer);

/// Programs that this process starts do not inherit the descriptor.
void keep_from_children(int descriptor);

}  // namespace holdfast::http
