#include "cli/commands.h"

namespace holdfast::cli {

void add_commands(Command& program, const std::vector<AddCommand>& more) {
    add_submit(program);
    add_run(program);
    program.group("tasks", "Look at tasks and steer them",
                  {add_tasks_list, add_tasks_show, add_tasks_wait, add_tasks_logs, add_tasks_steering});
    program.group("jobs", "Look at jobs and steer them",
                  {add_jobs_list, add_jobs_show, add_jobs_wait, add_jobs_logs, add_jobs_graph, add_jobs_steering});
    program.group("schedules", "Look at schedules and steer them", {add_schedules});
    add_worker(program);
    program.group("runner", "Check programs that run functions for workers", {add_runner});
    program.group("workers", "Look at workers and steer them", {add_workers});
    add_server(program);
    add_dev(program);
    program.group("tokens", "Say who may use the server: make, list and revoke its keys", {add_tokens});
    add_audit(program);
    program.group("queues", "Look at queues, pause and resume them", {add_queues});
    program.group("keys", "Look at concurrency keys, and fix their limits", {add_keys});
    program.group("recovery", "Look at recovery, and recover by hand", {add_recovery});
    add_progress(program);
    add_checkpoint(program);
    add_migrate(program);
    add_backup(program);
    add_restore(program);
    add_check(program);
    program.group("config", "Check and show the configuration", {add_config});
    add_doctor(program);
    for (const AddCommand add : more) add(program);
    program.group("completion", "Print a script that completes commands in your shell", {add_completion});
    program.add("version", "Print the program's version", [](Session& session) {
        return session.tell(Json{{"version", HOLDFAST_VERSION}}, version_line);
    });
}

}  // namespace holdfast::cli
