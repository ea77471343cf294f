#pragma once

#include <string>

#include "cli/terminal/io.h"
#include "platform/sd_notify.h"

namespace holdfast::cli {

/// Tells systemd how a service of this program is doing.
class ServiceNotice {
public:
    explicit ServiceNotice(const Io& io) : notify_(io.environment) {}

    void ready(const std::string& status) const { notify_.ready(status); }
    void stopping(const std::string& status) const { notify_.stopping(status); }
    /// To be called in every turn of its loop: one that does not turn gives no sign of life, and systemd restarts the
    /// service.
    void turned();

private:
    platform::SdNotify notify_;
    Duration next_sign_{};
};

}  // namespace holdfast::cli
