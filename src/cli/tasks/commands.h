#pragma once

#include "cli/session.h"

namespace holdfast::cli {

// The words under `holdfast tasks`, one file each.
void add_tasks_list(CLI::App& tasks, Action& chosen);
void add_tasks_show(CLI::App& tasks, Action& chosen);
void add_tasks_wait(CLI::App& tasks, Action& chosen);
void add_tasks_logs(CLI::App& tasks, Action& chosen);
void add_tasks_cancel(CLI::App& tasks, Action& chosen);
void add_tasks_retry(CLI::App& tasks, Action& chosen);
void add_tasks_force(CLI::App& tasks, Action& chosen);

}  // namespace holdfast::cli
