#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/time.h"

namespace holdfast::platform {

/// Tells systemd how this service is doing (sd_notify(3)). Without a NOTIFY_SOCKET, and when nobody listens on it,
/// nothing happens: a service manager that went away is no reason to stop working.
class SdNotify {
public:
    explicit SdNotify(const std::map<std::string, std::string>& environment);

    void ready(std::string_view status) const;     ///< READY=1
    void stopping(std::string_view status) const;  ///< STOPPING=1
    void alive() const;                            ///< WATCHDOG=1

    /// How often systemd wants to hear alive(): half of WATCHDOG_USEC, so that one may come late. nullopt: never.
    [[nodiscard]] std::optional<Duration> alive_interval() const { return alive_interval_; }

private:
    void send(const std::string& state) const;

    std::string socket_;  // a path, or "@name" of an abstract socket; empty: none
    std::optional<Duration> alive_interval_;
};

}  // namespace holdfast::platform
