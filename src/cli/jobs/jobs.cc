#include <CLI/CLI.hpp>

#include "cli/jobs/commands.h"

namespace holdfast::cli {

void add_jobs(CLI::App& program, Action& chosen) {
    auto* jobs = program.add_subcommand("jobs", "Look at jobs and steer them");
    jobs->require_subcommand(1);
    add_jobs_list(*jobs, chosen);
    add_jobs_show(*jobs, chosen);
    add_jobs_wait(*jobs, chosen);
    add_jobs_logs(*jobs, chosen);
    add_jobs_graph(*jobs, chosen);
    add_jobs_steering(*jobs, chosen);
    add_jobs_retry(*jobs, chosen);
    add_jobs_approve(*jobs, chosen);
}

}  // namespace holdfast::cli
