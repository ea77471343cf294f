#pragma once

#include "cli/session.h"

namespace holdfast::cli {

// The words under `holdfast schedules`; those that steer one share a file.
void add_schedules_apply(CLI::App& schedules, Action& chosen);
void add_schedules_list(CLI::App& schedules, Action& chosen);
void add_schedules_show(CLI::App& schedules, Action& chosen);
void add_schedules_steering(CLI::App& schedules, Action& chosen);
void add_schedules_run_now(CLI::App& schedules, Action& chosen);

}  // namespace holdfast::cli
