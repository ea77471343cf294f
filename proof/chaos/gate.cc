#include "proof/chaos/gate.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "base/throw_errno.h"
#include "platform/sockets.h"

namespace holdfast::chaos {

namespace {

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

Descriptor tcp_socket() {
    Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made) throw_errno("socket");
    return made;
}

Descriptor open_door() {
    Descriptor door = tcp_socket();
    const sockaddr_in address = loopback(0);
    if (bind(door.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(door.get(), 64) != 0)
        throw_errno("a port on loopback");
    platform::set_nonblocking(door.get());
    return door;
}

int port_of(const Descriptor& door) {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(door.get(), reinterpret_cast<sockaddr*>(&address), &length);
    return ntohs(address.sin_port);
}

void prepare(const Descriptor& end) {
    const int on = 1;
    setsockopt(end.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const linger none{1, 0};  // so that close() resets the connection
    setsockopt(end.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    platform::set_nonblocking(end.get());
}

}  // namespace

/// Two ends, and the bytes that were read from each and not yet written to the other.
struct Gate::Connection {
    std::array<Descriptor, 2> ends;
    std::array<std::string, 2> waiting;
    bool is_over = false;

    [[nodiscard]] short wanted(std::size_t end) const {
        const bool may_read = waiting[end].empty();
        const bool may_write = !waiting[1 - end].empty();
        return static_cast<short>((may_read ? POLLIN : 0) | (may_write ? POLLOUT : 0));
    }

    void serve(std::size_t end, short events) {
        if ((events & POLLOUT) != 0) write_to(end);
        if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && waiting[end].empty()) read_from(end);
    }

private:
    void read_from(std::size_t end) {
        std::array<char, 16384> bytes;
        const ssize_t got = recv(ends[end].get(), bytes.data(), bytes.size(), 0);
        if (got > 0) waiting[end].assign(bytes.data(), static_cast<std::size_t>(got));
        if (got > 0) write_to(1 - end);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) is_over = true;
    }
    void write_to(std::size_t end) {
        std::string& bytes = waiting[1 - end];
        const ssize_t sent = send(ends[end].get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0) bytes.erase(0, static_cast<std::size_t>(sent));
        if (sent < 0 && errno != EAGAIN && errno != EINTR) is_over = true;
    }
};

Gate::Gate(int server_port)
    : server_port_(server_port), door_(open_door()), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    port_ = port_of(door_);
    thread_ = std::thread([this] { run(); });
}

Gate::~Gate() {
    stops_ = true;
    ring();
    thread_.join();
}

void Gate::ring() const {
    eventfd_write(bell_.get(), 1);
}

void Gate::set(Mode mode) {
    mode_ = mode;
    ring();
}

void Gate::reset() {
    resets_ = true;
    ring();
}

void Gate::run() {
    while (!stops_) {
        const Mode mode = mode_;
        if (resets_.exchange(false) || mode == Mode::Refuse) drop_all();
        carry(mode);
    }
}

void Gate::carry(Mode mode) {
    std::vector<pollfd> watched = {{bell_.get(), POLLIN, 0}};
    if (mode != Mode::Cut) {
        watched.push_back({door_.get(), POLLIN, 0});
        for (const auto& connection : connections_)
            for (const std::size_t end : {0U, 1U})
                watched.push_back({connection->ends[end].get(), connection->wanted(end), 0});
    }
    poll(watched.data(), watched.size(), 1000);
    eventfd_t rung = 0;
    if (watched[0].revents != 0) eventfd_read(bell_.get(), &rung);
    for (std::size_t i = 2; i < watched.size(); ++i)
        if (watched[i].revents != 0) connections_[(i - 2) / 2]->serve(i % 2, watched[i].revents);
    std::erase_if(connections_, [](const auto& connection) { return connection->is_over; });
    if (watched.size() > 1 && watched[1].revents != 0) accept_new();
}

void Gate::accept_new() {
    Descriptor outside(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!outside) return;
    prepare(outside);
    if (mode_ == Mode::Refuse) return;
    Descriptor inside = tcp_socket();
    const sockaddr_in address = loopback(server_port_);
    if (connect(inside.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    prepare(inside);
    auto connection = std::make_unique<Connection>();
    connection->ends = {std::move(outside), std::move(inside)};
    connections_.push_back(std::move(connection));
}

void Gate::drop_all() {
    connections_.clear();
}

bool is_free_port(int port) {
    const Descriptor door = tcp_socket();
    const sockaddr_in address = loopback(port);
    return bind(door.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

int free_port() {
    return port_of(open_door());
}

}  // namespace holdfast::chaos
