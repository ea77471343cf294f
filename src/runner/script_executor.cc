#include "runner/script_executor.h"

#include <signal.h>

#include "platform/files.h"
#include "platform/process_table.h"
#include "platform/programs.h"
#include "runner/pulse.h"
#include "runner/run_process.h"
#include "runner/script_environment.h"
#include "runner/script_files.h"
#include "runner/script_outcome.h"

namespace holdfast::runner {

namespace {

platform::LaunchParams launch_params(const engine::RunOrder& order, const core::TaskSpec& spec,
                                     const Secrets& secrets, const WorkerEnvironment& worker,
                                     const ScriptFiles& files, int input) {
    const bool names_its_interpreter = spec.script.starts_with("#!");
    platform::LaunchParams params;
    params.file = names_its_interpreter ? files.script() : "/bin/sh";
    params.arguments = {names_its_interpreter ? files.script() : "sh"};
    if (!names_its_interpreter) params.arguments.push_back(files.script());
    params.environment = script_environment(order, spec, files.folder(), secrets, worker);
    params.directory = spec.dir.empty() ? files.work() : spec.dir;
    params.input = input;
    return params;
}

/// The kernel counts the threads of the user. Those of all users are counted here, so the limit is too wide rather
/// than too tight; it is too tight only where the user has processes that this one cannot see, in other containers.
unsigned user_processes_with(int more) {
    int all = more;
    for (const auto& process : platform::list_processes()) all += process.threads;
    return static_cast<unsigned>(all);
}

}  // namespace

ScriptExecutor::ScriptExecutor(std::string folder, const WorkerEnvironment& worker, TaskLimits& limits,
                               std::int64_t max_payload)
    : folder_(std::move(folder)), worker_(worker), limits_(limits), max_payload_(max_payload) {}

Outcome ScriptExecutor::execute(const engine::RunOrder& order, const core::TaskSpec& spec, Pulse& pulse) {
    const auto secrets = read_secrets(spec, worker_);
    if (!secrets) return failed_with(secret_not_available, secrets.error());
    const SecretMask mask(*secrets);
    pulse.hide(mask);
    if (const auto note = note_on_long_args(order)) pulse.log(*note);
    const ScriptFiles files(folder_, spec.script, order.checkpoint);
    const Descriptor input = platform::memory_file("holdfast-args", order.args);
    pulse.open_socket(files.socket(), max_payload_);
    const TreeLimits watched = limits_.begin(spec.memory_bytes, spec.max_processes);
    pulse.watch_tree(watched, true);
    platform::LaunchParams params = launch_params(order, spec, *secrets, worker_, files, input.get());
    if (watched.processes > 0) params.most_user_processes = user_processes_with(static_cast<int>(watched.processes));
    const auto pid = platform::launch(params);
    if (!pid) {
        limits_.end();
        return failed_with(error_code::script_failed, pid.error());
    }
    if (pulse.is_stopping()) kill(*pid, SIGTERM);  // the pulse may have signalled before the process existed
    ScriptEnd end{wait_for_process(*pid), pulse.is_stopping(), {}, {}, {}, {}};
    platform::kill_all_descendants();
    end.broken_limit = pulse.broken_limit();
    if (!end.broken_limit) end.broken_limit = limits_.broken_in_kernel();
    end.last_line_of_stderr = pulse.last_line_of_stderr();
    end.given = given_result(files.result(), pulse.last_line_of_stdout(), max_payload_);
    limits_.end();
    return masked(script_outcome(end, max_payload_), mask);
}

}  // namespace holdfast::runner
