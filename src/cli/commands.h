#pragma once

#include "cli/command.h"
#include "cli/session.h"
#include "holdfast/version.h"

namespace holdfast::cli {

/// What --version and 'version' print.
inline constexpr const char* version_line = "holdfast " HOLDFAST_VERSION;

/// Adds all commands, in the order of the help. `more` adds commands that are defined outside this folder.
void add_commands(Command& program, const std::vector<AddCommand>& more);

// Each function is defined in the file of its command; commands.cc builds the tree.

void add_submit(Command& program);
void add_run(Command& program);
void add_worker(Command& program);
void add_server(Command& program);
void add_dev(Command& program);
void add_progress(Command& program);
void add_checkpoint(Command& program);
void add_migrate(Command& program);
void add_backup(Command& program);
void add_restore(Command& program);
void add_check(Command& program);
void add_doctor(Command& program);

void add_tasks_list(Command& tasks);
void add_tasks_show(Command& tasks);
void add_tasks_wait(Command& tasks);
void add_tasks_logs(Command& tasks);
void add_tasks_steering(Command& tasks);  ///< cancel, retry, force

void add_jobs_list(Command& jobs);
void add_jobs_show(Command& jobs);
void add_jobs_wait(Command& jobs);
void add_jobs_logs(Command& jobs);
void add_jobs_graph(Command& jobs);
void add_jobs_steering(Command& jobs);  ///< cancel, pause, resume, retry, approve

void add_schedules(Command& schedules);  ///< apply, list, show, pause, resume, remove, run-now
void add_runner(Command& runner);        ///< check
void add_workers(Command& workers);      ///< list, show, drain, cordon, uncordon, remove
void add_tokens(Command& tokens);        ///< create, list, revoke
void add_audit(Command& program);
void add_recovery(Command& recovery);      ///< status, stale, fail-running, requeue-claimed, sweep, prune
void add_queues(Command& queues);          ///< list, pause, resume
void add_keys(Command& keys);              ///< list, set, remove, apply
void add_config(Command& config);          ///< check, show
void add_completion(Command& completion);  ///< bash, zsh

}  // namespace holdfast::cli
