#include <CLI/CLI.hpp>

#include "cli/schedules/commands.h"

namespace holdfast::cli {

void add_schedules(CLI::App& program, Action& chosen) {
    auto* schedules = program.add_subcommand("schedules", "Look at schedules and steer them");
    schedules->require_subcommand(1);
    add_schedules_apply(*schedules, chosen);
    add_schedules_list(*schedules, chosen);
    add_schedules_show(*schedules, chosen);
    add_schedules_steering(*schedules, chosen);
    add_schedules_run_now(*schedules, chosen);
}

}  // namespace holdfast::cli
