#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/catalog_changes.h"
#include "engine/recovery/manual_recovery.h"
#include "engine/recovery/sweeper.h"
#include "server/remote/server_link.h"
#include "views/recovery.h"
#include "views/task.h"
#include "views/token.h"

namespace holdfast::remote {

// Calls of the API that a command needs in addition to the verbs of store::ClientStore.

/// Returns everything that the server knows about a task. Throws UnknownTask.
[[nodiscard]] views::TaskStory task_story(ServerLink& server, const Uuid& task);

/// Stores the schedules in the server's store and returns the changes; with `dry_run`, only returns the changes.
client::ScheduleChanges apply_schedules(ServerLink& server, const std::vector<store::ScheduleDefinition>& wanted,
                                        bool dry_run);

// Recovery. The server checks from its own machine, with its own configuration.
[[nodiscard]] views::RecoveryStatus recovery_status(ServerLink& server);
[[nodiscard]] std::vector<engine::StaleTask> stale_tasks(ServerLink& server,
                                                         const std::optional<Duration>& threshold);
/// `order`: "fail-running" or "requeue-claimed".
engine::ManualAnswer settle(ServerLink& server, const std::string& order, const std::optional<Duration>& threshold);
engine::SweepReport sweep(ServerLink& server);
store::PruneAnswer prune(ServerLink& server, const views::PruneOrder& order);

using views::MadeToken;
/// Creates a token with the name, scope and queues of `wanted`, valid for `lasts` (a duration; empty: until it is
/// revoked). Throws Conflict when the name is taken.
MadeToken create_token(ServerLink& server, const store::NewToken& wanted, const std::string& lasts);

}  // namespace holdfast::remote
