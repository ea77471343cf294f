#pragma once

#include <vector>

#include "client/schedule_operations.h"
#include "server/remote/server_link.h"

namespace holdfast::remote {

/// Has a server put schedules into its store, or only say what that would change.
client::ScheduleChanges apply_schedules(ServerLink& server, const std::vector<store::ScheduleDefinition>& wanted,
                                        bool dry_run);

}  // namespace holdfast::remote
