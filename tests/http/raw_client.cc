#include "tests/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text.h"

namespace holdfast::http::testing {

namespace {

constexpr int patience_ms = 60'000;

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

int connected_socket(std::uint16_t port, const std::string& address) {
    sockaddr_in v4 = {};
    sockaddr_in6 v6 = {};
    const bool is_v6 = address.find(':') != std::string::npos;
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    inet_pton(is_v6 ? AF_INET6 : AF_INET, address.c_str(),
              is_v6 ? static_cast<void*>(&v6.sin6_addr) : static_cast<void*>(&v4.sin_addr));
    const int made = ::socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int rc = is_v6 ? ::connect(made, reinterpret_cast<const sockaddr*>(&v6), sizeof v6)
                         : ::connect(made, reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
    if (rc != 0) {
        ::close(made);
        throw std::runtime_error("cannot connect to the server under test");
    }
    return made;
}

RawAnswer parse_head(const std::string& head) {
    RawAnswer answer;
    answer.status = head.starts_with("HTTP/1.1 ") ? std::stoi(head.substr(9, 3)) : -1;
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
        const std::size_t end = head.find("\r\n", at);
        const std::string line = head.substr(at, end - at);
        if (const std::size_t colon = line.find(": "); colon != std::string::npos)
            answer.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
        at = end + 2;
    }
    return answer;
}

}  // namespace

RawClient::RawClient(std::uint16_t port, const std::string& address) : socket_(connected_socket(port, address)) {}
RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), input_(std::move(other.input_)) {}
RawClient::~RawClient() {
    if (socket_ >= 0) ::close(socket_);
}

bool RawClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        pollfd writable = {socket_, POLLOUT, 0};
        if (::poll(&writable, 1, patience_ms) <= 0) return false;
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool RawClient::read_more() {
    pollfd readable = {socket_, POLLIN, 0};
    if (::poll(&readable, 1, patience_ms) <= 0) return false;
    char bytes[16 * 1024];
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    if (got > 0) input_.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
}

std::string RawClient::read_until(std::string_view text) {
    while (input_.find(text) == std::string::npos)
        if (!read_more()) return "";
    const std::size_t length = input_.find(text) + text.size();
    std::string read = input_.substr(0, length);
    input_.erase(0, length);
    return read;
}

RawAnswer RawClient::answer(bool has_body) {
    const std::string head = read_until("\r\n\r\n");
    if (head.empty()) return {};
    RawAnswer answer = parse_head(head);
    if (!has_body || !answer.headers.contains("content-length")) return answer;
    const std::size_t length = std::stoul(answer.headers.at("content-length"));
    while (input_.size() < length && read_more()) continue;
    answer.body = input_.substr(0, length);
    input_.erase(0, length);
    return answer;
}

std::string RawClient::rest() {
    while (read_more()) continue;
    return std::exchange(input_, "");
}

bool RawClient::is_closed_within(std::chrono::milliseconds time) {
    pollfd readable = {socket_, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(time.count())) <= 0) return false;
    char byte = 0;
    return ::recv(socket_, &byte, 1, MSG_PEEK) <= 0;
}

void RawClient::finish_sending() {
    ::shutdown(socket_, SHUT_WR);
}

void RawClient::shrink_receive_buffer() {
    const int bytes = 4096;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void RawClient::reset() {
    const linger at_once = {1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(std::exchange(socket_, -1));
}

RawAnswer ask(std::uint16_t port, std::string_view request) {
    RawClient client(port);
    client.send(request);
    return client.answer(!request.starts_with("HEAD"));
}

std::string get(const std::string& target, const std::string& more_headers) {
    return concat("GET ", target, " HTTP/1.1\r\nHost: test\r\n", more_headers, "\r\n");
}

std::string post(const std::string& target, const std::string& body, const std::string& more_headers) {
    return concat("POST ", target,
                  " HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
                  "\r\n", more_headers, "\r\n", body);
}

}  // namespace holdfast::http::testing
