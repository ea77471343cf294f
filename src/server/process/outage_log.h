#pragma once

#include <optional>

#include "base/log.h"
#include "server/api/vital_sign.h"

namespace holdfast::server {

/// Reports the outages of the store: one line when one begins, and one when it ends. Not thread-safe.
class OutageLog {
public:
    /// Returns the line to write after a check of the store; nullopt: nothing has changed.
    [[nodiscard]] std::optional<LogLine> look(const api::VitalSign::Check& store, Duration now);

private:
    std::optional<Duration> out_since_;
};

}  // namespace holdfast::server
