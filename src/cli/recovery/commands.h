#pragma once

#include "cli/session.h"

namespace holdfast::cli {

// The words under `holdfast recovery`, one file each.
void add_recovery_status(CLI::App& recovery, Action& chosen);
void add_recovery_stale(CLI::App& recovery, Action& chosen);
void add_recovery_settle(CLI::App& recovery, Action& chosen);  ///< fail-running, requeue-claimed
void add_recovery_sweep(CLI::App& recovery, Action& chosen);
void add_recovery_prune(CLI::App& recovery, Action& chosen);

}  // namespace holdfast::cli
