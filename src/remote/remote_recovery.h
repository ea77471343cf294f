#pragma once

#include <optional>
#include <vector>

#include "engine/manual_recovery.h"
#include "engine/sweeper.h"
#include "remote/server_link.h"
#include "wire/recovery_view.h"

namespace holdfast::remote {

// Recovery by a server: it looks from its own machine, by its own configuration.

[[nodiscard]] wire::RecoveryStatus recovery_status(ServerLink& server);
[[nodiscard]] std::vector<engine::StaleTask> stale_tasks(ServerLink& server,
                                                         const std::optional<Duration>& threshold);
/// `order`: "fail-running" or "requeue-claimed".
engine::ManualAnswer settle(ServerLink& server, const std::string& order, const std::optional<Duration>& threshold);
engine::SweepReport sweep(ServerLink& server);

}  // namespace holdfast::remote
