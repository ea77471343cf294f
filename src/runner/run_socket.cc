#include "runner/run_socket.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/throw_errno.h"
#include "platform/sockets.h"

namespace holdfast::runner {

namespace {

constexpr std::size_t longest_text = 4096;

using nlohmann::json;

constexpr std::size_t most_guests = 16;
constexpr std::size_t beside_the_payload = 64 * 1024;

Descriptor unix_socket() {
    return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

/// Answers are short: one that does not fit into the socket means that the guest does not read.
bool answer(int socket, const std::string& line) {
    return send(socket, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(line.size());
}

std::string read_line(int socket) {
    std::string line;
    std::array<char, 4096> buffer;
    while (line.find('\n') == std::string::npos) {
        const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        line.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return line;
}

/// The user of the process that connected, as it was then; nullopt: unknown.
std::optional<uid_t> user_at(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
    return peer.uid;
}

std::string as_line(const json& object) {
    return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<std::string> read_members(const json& object, RunUpdate& update) {
    if (!object.is_object()) return "expected a JSON object in a line";
    for (const auto& [name, value] : object.items()) {
        if (name == "progress" && value.is_number()) {
            update.fraction = value.get<double>();
        } else if (name == "text" && value.is_string()) {
            update.text = value.get<std::string>();
        } else if (name == "checkpoint") {
            update.checkpoint = value.dump();
        } else {
            return "unexpected \"" + name + "\"; allowed: progress (a number), text (a text), checkpoint";
        }
    }
    if (!update.fraction && !update.checkpoint) return "expected progress or checkpoint";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> update_defect(const RunUpdate& update, std::int64_t max_payload) {
    if (update.fraction && !(*update.fraction >= 0 && *update.fraction <= 1))
        return concat("progress must be a fraction from 0 to 1, not ", *update.fraction);
    if (update.text.size() > longest_text)
        return concat("the text of a progress may have ", longest_text, " bytes, not ", update.text.size());
    if (const auto defect = text_defect(update.text)) return "the text of the progress " + *defect;
    const auto size = static_cast<std::int64_t>(update.checkpoint ? update.checkpoint->size() : 0);
    if (size > max_payload) return concat("the checkpoint has ", size, " bytes; allowed are ", max_payload);
    return std::nullopt;
}

std::string update_line(const RunUpdate& update) {
    json object = json::object();
    if (update.fraction) object["progress"] = *update.fraction;
    if (!update.text.empty()) object["text"] = update.text;
    if (update.checkpoint) object["checkpoint"] = json::parse(*update.checkpoint, nullptr, false);
    return as_line(object);
}

Result<RunUpdate, std::string> parse_update(const std::string& line, std::int64_t max_payload) {
    const json object = json::parse(line, nullptr, false);
    RunUpdate update;
    if (auto defect = read_members(object, update)) return Failure{std::move(*defect)};
    if (auto defect = update_defect(update, max_payload)) return Failure{std::move(*defect)};
    return update;
}

std::string answer_line(const std::optional<std::string>& error) {
    return as_line(error ? json{{"error", *error}} : json::object());
}

std::optional<std::string> parse_answer(const std::string& line) {
    const json answer = json::parse(line, nullptr, false);
    if (!answer.is_object()) return "the runner hung up";
    if (!answer.contains("error")) return std::nullopt;
    return answer.value("error", "");
}

RunSocket::RunSocket(const std::string& path, std::int64_t max_payload, std::optional<uid_t> peer)
    : listening_(unix_socket()), max_payload_(max_payload), peer_(peer) {
    const sockaddr_un address = address_of(path);
    if (bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listening_.get(), most_guests) != 0)
        throw_errno("cannot listen at " + path);
}

void RunSocket::add_to(std::vector<pollfd>& watched) const {
    if (guests_.size() < most_guests) watched.push_back({listening_.get(), POLLIN, 0});
    for (const Guest& guest : guests_) watched.push_back({guest.socket.get(), POLLIN, 0});
}

void RunSocket::serve(const std::function<void(RunUpdate)>& accept) {
    let_in();
    std::erase_if(guests_, [&](Guest& guest) { return !hear(guest, accept); });
}

void RunSocket::let_in() {
    while (guests_.size() < most_guests) {
        pollfd listening{listening_.get(), POLLIN, 0};
        if (poll(&listening, 1, 0) != 1) return;
        Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) return;
        if (peer_ && user_at(socket.get()) != *peer_) continue;
        guests_.push_back({std::move(socket), {}});
    }
}

bool RunSocket::hear(Guest& guest, const std::function<void(RunUpdate)>& accept) const {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = recv(guest.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    guest.unread.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = guest.unread.find('\n')) != std::string::npos;) {
        auto update = parse_update(guest.unread.substr(0, end), max_payload_);
        guest.unread.erase(0, end + 1);
        if (!answer(guest.socket.get(), answer_line(update ? std::nullopt : std::optional(update.error()))))
            return false;
        if (update) accept(std::move(update).value());
    }
    return guest.unread.size() <= static_cast<std::size_t>(max_payload_) + beside_the_payload;
}

std::optional<std::string> send_to_run(const std::string& path, const RunUpdate& update) {
    const Descriptor socket = unix_socket();
    const sockaddr_un address = address_of(path);
    if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return concat("cannot reach the runner at ", path, ": ", strerror(errno));
    if (!platform::send_all(socket.get(), update_line(update)))
        return concat("the runner hung up: ", strerror(errno));
    return parse_answer(read_line(socket.get()));
}

}  // namespace holdfast::runner
