#include "platform/sd_notify.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

namespace holdfast::platform {
namespace {

/// The service manager's side.
class Manager {
public:
    /// A name with "@" in front is an abstract socket.
    explicit Manager(std::string name) : name_(std::move(name)), socket_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name_.data(), name_.size());
        if (name_.front() == '@') address.sun_path[0] = '\0';
        const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
        EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), length), 0) << std::strerror(errno);
    }
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;
    ~Manager() {
        close(socket_);
        if (name_.front() != '@') std::filesystem::remove(name_);
    }

    /// What it was told; empty when nothing.
    [[nodiscard]] std::string heard() const {
        std::array<char, 1000> buffer{};
        const ssize_t length = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
        return length < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(length));
    }

private:
    std::string name_;
    int socket_;
};

using Environment = std::map<std::string, std::string>;

std::string own_name(const std::string& purpose) {
    return purpose + std::to_string(getpid());
}

TEST(SdNotify, TellsOnASocketWithAPath) {
    const std::string path = (std::filesystem::temp_directory_path() / own_name("holdfast-notify-")).string();
    const Manager manager(path);
    const SdNotify notify({{"NOTIFY_SOCKET", path}});
    notify.ready("runs up to 10 tasks");
    EXPECT_EQ(manager.heard(), "READY=1\nSTATUS=runs up to 10 tasks");
    notify.alive();
    EXPECT_EQ(manager.heard(), "WATCHDOG=1");
    notify.stopping("drains\nnow");
    EXPECT_EQ(manager.heard(), "STOPPING=1\nSTATUS=drains now");
    EXPECT_EQ(manager.heard(), "");
}

TEST(SdNotify, TellsOnAnAbstractSocket) {
    const std::string name = own_name("@holdfast-notify-");
    const Manager manager(name);
    SdNotify({{"NOTIFY_SOCKET", name}}).ready("x");
    EXPECT_EQ(manager.heard(), "READY=1\nSTATUS=x");
}

TEST(SdNotify, IsSilentWithoutSocketAndWhenNobodyListens) {
    for (const std::string& socket :
         {std::string(), std::string("/nowhere/at/all"), own_name("@holdfast-nobody-"), std::string(200, 'x')})
        SdNotify({{"NOTIFY_SOCKET", socket}}).ready("x");
    SdNotify(Environment()).alive();
}

TEST(SdNotify, AsksForASignOfLifeTwiceAsOftenAsTheWatchdogNeedsIt) {
    const std::string own = std::to_string(getpid());
    EXPECT_EQ(SdNotify(Environment()).alive_interval(), std::nullopt);
    EXPECT_EQ(SdNotify(Environment{{"WATCHDOG_USEC", "30000000"}}).alive_interval(), std::chrono::seconds(15));
    EXPECT_EQ(SdNotify({{"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", own}}).alive_interval(),
              std::chrono::seconds(15));
    EXPECT_EQ(SdNotify({{"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", "1"}}).alive_interval(), std::nullopt);
    for (const std::string nonsense : {"", "0", "-1", "soon", "1x"})
        EXPECT_EQ(SdNotify(Environment{{"WATCHDOG_USEC", nonsense}}).alive_interval(), std::nullopt) << nonsense;
}

}  // namespace
}  // namespace holdfast::platform
