#include "platform/sd_notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include "base/descriptor.h"
#include "base/text.h"
#include "platform/service_loop.h"

namespace holdfast::platform {

namespace {

std::string value_of(const std::map<std::string, std::string>& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

std::optional<std::int64_t> number_in(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The watchdog is for the process WATCHDOG_PID, not for a child that inherited the variables.
std::optional<Duration> interval_in(const std::map<std::string, std::string>& environment) {
    const auto usec = number_in(value_of(environment, "WATCHDOG_USEC"));
    const auto pid = number_in(value_of(environment, "WATCHDOG_PID"));
    if (!usec || *usec <= 0 || (pid && *pid != getpid())) return std::nullopt;
    return Duration(*usec) / 2;
}

}  // namespace

SdNotify::SdNotify(const std::map<std::string, std::string>& environment)
    : socket_(value_of(environment, "NOTIFY_SOCKET")), alive_interval_(interval_in(environment)) {}

void SdNotify::ready(std::string_view status) const {
    send(concat("READY=1\nSTATUS=", one_line(status)));
}

void SdNotify::stopping(std::string_view status) const {
    send(concat("STOPPING=1\nSTATUS=", one_line(status)));
}

void SdNotify::alive() const {
    send("WATCHDOG=1");
}

void SdNotify::turned() {
    if (!alive_interval_ || machine_time() < next_alive_) return;
    next_alive_ = machine_time() + *alive_interval_;
    alive();
}

void SdNotify::send(const std::string& state) const {
    sockaddr_un address{};
    if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (socket_.front() == '@') address.sun_path[0] = '\0';  // an abstract socket
    const Descriptor sender(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    (void)sendto(sender.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr*>(&address), length);
}

}  // namespace holdfast::platform
