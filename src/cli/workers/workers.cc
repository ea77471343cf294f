#include <CLI/CLI.hpp>

#include "cli/session.h"
#include "cli/workers/commands.h"

namespace holdfast::cli {

void add_workers(CLI::App& program, Action& chosen) {
    auto* workers = program.add_subcommand("workers", "Look at workers and steer them");
    workers->require_subcommand(1);
    add_workers_list(*workers, chosen);
    add_workers_show(*workers, chosen);
    add_workers_orders(*workers, chosen);
}

}  // namespace holdfast::cli
