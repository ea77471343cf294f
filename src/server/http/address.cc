#include "server/http/address.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/ip/v6_only.hpp>
#include <charconv>

#include "base/text.h"
#include "holdfast/errors.h"

namespace holdfast::http {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string reason_for(const error_code& failure) {
    if (failure == asio::error::address_in_use)
        return "another program uses that port; stop it, or choose another port";
    if (failure == asio::error::access_denied) return "this user may not use that port; choose one above 1023";
    if (failure.value() == EADDRNOTAVAIL) return "this machine has no such address";
    return failure.message();
}

[[noreturn]] void refuse_to_listen(const std::string& address, std::uint16_t port, const std::string& reason) {
    throw BadInput(concat("cannot listen on ", authority_of(address, port), ": ", reason));
}

std::vector<tcp::endpoint> endpoints_of(asio::io_context& loop, const std::string& address, std::uint16_t port) {
    error_code is_name;
    const auto literal = asio::ip::make_address(address, is_name);
    if (!is_name) return {tcp::endpoint(literal, port)};
    error_code failure;
    const auto found = tcp::resolver(loop).resolve(address, std::to_string(port), tcp::resolver::passive, failure);
    if (failure) refuse_to_listen(address, port, concat("the name is not known (", failure.message(), ")"));
    std::vector<tcp::endpoint> endpoints;
    for (const auto& entry : found) endpoints.push_back(entry.endpoint());
    return endpoints;
}

error_code open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, bool is_one_of_many) {
    error_code failure;
    acceptor.open(endpoint.protocol(), failure);
    if (failure) return failure;
    keep_from_children(acceptor.native_handle());
    acceptor.set_option(tcp::acceptor::reuse_address(true), failure);
    // "::" alone accepts IPv4, too. When the name also resolves to an IPv4 address, the two sockets would conflict.
    if (endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(is_one_of_many), failure);
    acceptor.bind(endpoint, failure);
    // Listen at once: two programs can bind the same port while neither of them listens.
    if (!failure) acceptor.listen(tcp::acceptor::max_listen_connections, failure);
    return failure;
}

[[noreturn]] void refuse_url(const std::string& url, std::string_view why) {
    throw BadInput(
        concat("\"", url, "\" is not the URL of a server: ", why, "; an example is http://127.0.0.1:7070"));
}

std::uint16_t parse_port(const std::string& url, std::string_view text) {
    unsigned port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failure != std::errc() || end != text.data() + text.size() || port == 0 || port > 65535)
        refuse_url(url, "its port must be a number from 1 to 65535");
    return static_cast<std::uint16_t>(port);
}

}  // namespace

std::vector<tcp::acceptor> listen_on(asio::io_context& loop, const std::string& address, std::uint16_t port) {
    std::vector<tcp::acceptor> acceptors;
    error_code last_failure;
    const auto endpoints = endpoints_of(loop, address, port);
    for (tcp::endpoint endpoint : endpoints) {
        if (!acceptors.empty()) endpoint.port(acceptors.front().local_endpoint().port());
        tcp::acceptor acceptor(loop);
        const error_code failure = open(acceptor, endpoint, endpoints.size() > 1);
        if (failure == asio::error::address_in_use) refuse_to_listen(address, endpoint.port(), reason_for(failure));
        if (failure)
            last_failure = failure;  // a name may resolve to an address that this machine lacks
        else
            acceptors.push_back(std::move(acceptor));
    }
    if (acceptors.empty()) refuse_to_listen(address, port, reason_for(last_failure));
    return acceptors;
}

std::string authority_of(const std::string& host, std::uint16_t port) {
    const bool is_v6 = host.find(':') != std::string::npos;
    return is_v6 ? concat("[", host, "]:", port) : concat(host, ":", port);
}

std::string url_of(const std::string& address, std::uint16_t port, bool secure) {
    return concat(secure ? "https://" : "http://", authority_of(address, port));
}

std::string peer_of(const tcp::socket& socket) {
    error_code failure;
    const auto endpoint = socket.remote_endpoint(failure);
    if (failure) return "unknown";
    const auto address = endpoint.address();
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    return address.to_string();
}

std::string client_of(const std::string& peer) {
    error_code is_none;
    auto bytes = asio::ip::make_address_v6(peer, is_none).to_bytes();
    if (is_none) return peer;
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return asio::ip::address_v6(bytes).to_string() + "/64";
}

void keep_from_children(int descriptor) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

Location parse_location(const std::string& url) {
    Location location;
    std::string_view rest = url;
    location.secure = rest.starts_with("https://");
    if (!location.secure && !rest.starts_with("http://")) refuse_url(url, "it must begin with http:// or https://");
    rest.remove_prefix(location.secure ? 8 : 7);
    if (rest.ends_with('/')) rest.remove_suffix(1);
    if (rest.find_first_of("/?#@ \t\r\n") != std::string_view::npos)
        refuse_url(url, "it must have no path, query or user");
    const bool is_bracketed = rest.starts_with('[');
    const std::size_t end_of_host = rest.find(is_bracketed ? ']' : ':');
    if (is_bracketed && end_of_host == std::string_view::npos) refuse_url(url, "its address has no ]");
    const std::size_t begin_of_host = is_bracketed ? 1 : 0;
    location.host = rest.substr(begin_of_host, end_of_host - begin_of_host);
    if (location.host.empty()) refuse_url(url, "it has no host");
    rest.remove_prefix(end_of_host == std::string_view::npos ? rest.size() : end_of_host + begin_of_host);
    if (!rest.empty() && rest.front() != ':') refuse_url(url, "its host is followed by something else than a port");
    location.port = rest.empty() ? (location.secure ? 443 : 80) : parse_port(url, rest.substr(1));
    return location;
}

}  // namespace holdfast::http
