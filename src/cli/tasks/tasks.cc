#include <CLI/CLI.hpp>

#include "cli/session.h"
#include "cli/tasks/commands.h"

namespace holdfast::cli {

void add_tasks(CLI::App& program, Action& chosen) {
    auto* tasks = program.add_subcommand("tasks", "Look at tasks and steer them");
    tasks->require_subcommand(1);
    add_tasks_list(*tasks, chosen);
    add_tasks_show(*tasks, chosen);
    add_tasks_wait(*tasks, chosen);
    add_tasks_logs(*tasks, chosen);
    add_tasks_cancel(*tasks, chosen);
    add_tasks_retry(*tasks, chosen);
    add_tasks_force(*tasks, chosen);
}

}  // namespace holdfast::cli
