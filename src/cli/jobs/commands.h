#pragma once

#include "cli/session.h"

namespace holdfast::cli {

// The words under `holdfast jobs`, one file each; those that steer whole jobs share one.
void add_jobs_list(CLI::App& jobs, Action& chosen);
void add_jobs_show(CLI::App& jobs, Action& chosen);
void add_jobs_wait(CLI::App& jobs, Action& chosen);
void add_jobs_logs(CLI::App& jobs, Action& chosen);
void add_jobs_graph(CLI::App& jobs, Action& chosen);
void add_jobs_steering(CLI::App& jobs, Action& chosen);
void add_jobs_retry(CLI::App& jobs, Action& chosen);
void add_jobs_approve(CLI::App& jobs, Action& chosen);

}  // namespace holdfast::cli
