#pragma once

#include "cli/session.h"

namespace holdfast::cli {

// The words under `holdfast workers`.
void add_workers_list(CLI::App& workers, Action& chosen);
void add_workers_show(CLI::App& workers, Action& chosen);
/// drain, cordon, uncordon, remove
void add_workers_orders(CLI::App& workers, Action& chosen);

}  // namespace holdfast::cli
