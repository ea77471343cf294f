#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/time.h"

namespace holdfast::platform {

/// Reports the state of this service to systemd (sd_notify(3)). Does nothing without a NOTIFY_SOCKET, or when nothing
/// listens on it: the service works without a service manager.
class SdNotify {
public:
    explicit SdNotify(const std::map<std::string, std::string>& environment);

    void ready(std::string_view status) const;     ///< READY=1
    void stopping(std::string_view status) const;  ///< STOPPING=1
    void alive() const;                            ///< WATCHDOG=1

    /// How often systemd expects alive(): half of WATCHDOG_USEC, so that one may be late. nullopt: never.
    [[nodiscard]] std::optional<Duration> alive_interval() const { return alive_interval_; }
    /// To be called in every turn of the service's loop: sends alive() when it is due. A service whose loop hangs
    /// does not send it, and systemd restarts the service.
    void turned();

private:
    void send(const std::string& state) const;

    std::string socket_;  // a path, or "@name" of an abstract socket; empty: none
    std::optional<Duration> alive_interval_;
    Duration next_alive_{};
};

}  // namespace holdfast::platform
