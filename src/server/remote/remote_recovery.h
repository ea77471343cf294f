#pragma once

#include <optional>
#include <vector>

#include "engine/recovery/manual_recovery.h"
#include "engine/recovery/sweeper.h"
#include "server/remote/server_link.h"
#include "views/recovery.h"

namespace holdfast::remote {

// Recovery by a server: it looks from its own machine, by its own configuration.

[[nodiscard]] views::RecoveryStatus recovery_status(ServerLink& server);
[[nodiscard]] std::vector<engine::StaleTask> stale_tasks(ServerLink& server,
                                                         const std::optional<Duration>& threshold);
/// `order`: "fail-running" or "requeue-claimed".
engine::ManualAnswer settle(ServerLink& server, const std::string& order, const std::optional<Duration>& threshold);
engine::SweepReport sweep(ServerLink& server);
store::PruneAnswer prune(ServerLink& server, const views::PruneOrder& order);

}  // namespace holdfast::remote
