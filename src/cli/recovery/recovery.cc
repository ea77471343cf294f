#include <CLI/CLI.hpp>

#include "cli/recovery/commands.h"
#include "cli/session.h"

namespace holdfast::cli {

void add_recovery(CLI::App& program, Action& chosen) {
    auto* recovery = program.add_subcommand("recovery", "Look at recovery, and recover by hand");
    recovery->require_subcommand(1);
    add_recovery_status(*recovery, chosen);
    add_recovery_stale(*recovery, chosen);
    add_recovery_settle(*recovery, chosen);
    add_recovery_sweep(*recovery, chosen);
    add_recovery_prune(*recovery, chosen);
}

}  // namespace holdfast::cli
