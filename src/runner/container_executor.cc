#include "runner/container_executor.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/text.h"
#include "platform/files.h"
#include "platform/process_table.h"
#include "platform/programs.h"
#include "runner/container_note.h"
#include "runner/pulse.h"
#include "runner/run_process.h"
#include "runner/script_environment.h"
#include "runner/script_files.h"
#include "runner/script_outcome.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

constexpr Duration engine_patience = std::chrono::seconds(30);
constexpr const char* inside = "/holdfast";

bool is_script(const core::TaskSpec& spec) {
    return spec.kind == core::TaskKind::Script;
}

ContainerRun container_run(const engine::RunOrder& order, const core::TaskSpec& spec, const ScriptFiles& files,
                           const Variables& variables, const Variables& by_name) {
    ContainerRun run{.lease = order.lease, .spec = spec, .folder = files.folder()};
    run.variables = assignments(variables);
    // Their values come from the environment of the engine's command, because every user can read its arguments.
    for (const auto& [name, value] : by_name) run.variables.push_back(name);
    run.directory = spec.dir;
    if (!is_script(spec)) {
        run.command = spec.command;
        return run;
    }
    if (run.directory.empty()) run.directory = concat(inside, "/work");
    const std::string script = concat(inside, "/script");
    const bool names_its_interpreter = spec.script.starts_with("#!");
    run.entrypoint = names_its_interpreter ? script : "sh";
    if (!names_its_interpreter) run.command = {script};
    return run;
}

/// The variables of a container beside those of its task. PATH, HOME, LANG and TZ are the image's own: the worker's
/// do not fit the image.
Variables named_variables(const Variables& of_task, const Secrets& secrets, const WorkerEnvironment& worker) {
    Variables variables = secrets;
    variables.merge(worker.passed());
    std::erase_if(variables, [&](const auto& each) { return of_task.contains(each.first); });
    return variables;
}

/// The container may run as another user. Other users of the host have no access: the parent directory is closed.
void open_to_all(const ScriptFiles& files) {
    chmod(files.folder().c_str(), 0777);
    chmod(files.work().c_str(), 0777);
    chmod(files.script().c_str(), 0755);
    chmod(files.socket().c_str(), 0777);
    chmod(files.checkpoint().c_str(), 0644);
}

/// The engine's command ends with 128 + N when signal N has ended the container.
std::string how_it_ended(int status, const core::TaskSpec& spec) {
    const int signal = WIFEXITED(status) ? WEXITSTATUS(status) - 128 : 0;
    if (signal <= 0 || sigabbrev_np(signal) == nullptr) return {};
    const bool may_be_memory = signal == SIGKILL && spec.memory_bytes;  // not every engine reports it
    return concat("killed by SIG", sigabbrev_np(signal),
                  may_be_memory ? ", perhaps for its " + memory_limit_text(*spec.memory_bytes) : "");
}

}  // namespace

ContainerExecutor::ContainerExecutor(std::string folder, const WorkerEnvironment& worker, ContainerTool tool,
                                     std::int64_t max_payload)
    : folder_(std::move(folder)), worker_(worker), tool_(std::move(tool)), max_payload_(max_payload) {}

Outcome ContainerExecutor::execute(const engine::RunOrder& order, const core::TaskSpec& spec, Pulse& pulse) {
    const auto secrets = read_secrets(spec, worker_);
    if (!secrets) return failed_with(secret_not_available, secrets.error());
    const SecretMask mask(*secrets);
    pulse.hide(mask);
    if (const auto note = note_on_long_args(order)) pulse.log(*note);
    // The note about the container is outside the directory that the container sees.
    const platform::FreshFolder folder(folder_);
    const ScriptFiles files(folder_ + "/run", spec.script, order.checkpoint);
    const Descriptor input = platform::memory_file("holdfast-args", order.args);
    pulse.open_socket(files.socket(), max_payload_);
    open_to_all(files);
    const Variables variables = task_variables(order, spec, inside, worker_.worker());
    const Variables by_name = named_variables(variables, *secrets, worker_);
    ContainerRun run = container_run(order, spec, files, variables, by_name);
    run.id_file = container_id_file(folder_);
    const auto status = run_to_its_end(run, by_name, input.get(), pulse);
    if (!status) return failed_with(error_code::script_failed, concat(tool_.command.front(), ": ", status.error()));
    ScriptEnd end{*status, pulse.is_stopping(), {}, {}, {}, how_it_ended(*status, spec)};
    // The container of a command that was killed may go on running until it is removed.
    if (WIFEXITED(*status)) complete_output(container_name(order.lease), pulse);
    end.broken_limit = broken_limit(container_name(order.lease), spec, *status);
    remove(order.lease);
    platform::kill_all_descendants();
    end.last_line_of_stderr = pulse.last_line_of_stderr();
    end.given = given_result(files.result(), pulse.last_line_of_stdout(), max_payload_);
    return masked(script_outcome(end, max_payload_), mask);
}

Result<int, std::string> ContainerExecutor::run_to_its_end(const ContainerRun& run, const Variables& by_name,
                                                           int input, Pulse& pulse) const {
    platform::LaunchParams params;
    params.arguments = run_command(tool_, run);
    params.file = platform::find_program(params.arguments.front());
    params.environment = platform::environment_with(assignments(by_name));
    params.directory = "/";
    params.input = input;
    note_container(folder_, tool_, run.lease);
    const auto pid = platform::launch(params);
    if (!pid) {
        forget_container(folder_);
        return Failure{pid.error()};
    }
    if (pulse.is_stopping()) kill(*pid, SIGTERM);  // the pulse may have signalled before the process existed
    const int status = wait_for_process(*pid);
    pulse.leave_processes_alone();
    return status;
}

// Podman, for one, loses the end or all of a container's output in one of a hundred runs on a busy machine.
void ContainerExecutor::complete_output(const std::string& container, Pulse& pulse) const {
    if (pulse.has_cut_output()) return;
    const std::string out = folder_ + "/out", err = folder_ + "/err";
    const auto saved = platform::run_program(save_log_command(tool_, container, out, err), engine_patience);
    if (!saved || saved->status != 0) return;
    std::ifstream all_out(out, std::ios::binary), all_err(err, std::ios::binary);
    pulse.complete_output(all_out, all_err);
}

void ContainerExecutor::remove(const store::TaskLease& lease) const {
    const auto removed = platform::run_program(remove_command(tool_, container_name(lease)), engine_patience);
    if (!removed || removed->status != 0)
        while (!remove_noted_container(folder_, engine_patience)) sleep(1);
    forget_container(folder_);
}

std::optional<std::string> ContainerExecutor::broken_limit(const std::string& name, const core::TaskSpec& spec,
                                                           int status) const {
    if (!spec.memory_bytes || status == 0) return std::nullopt;
    const auto answer = platform::run_program(ask_out_of_memory_command(tool_, name), engine_patience);
    if (!answer || !answer->output.starts_with("true")) return std::nullopt;
    return memory_limit_text(*spec.memory_bytes);
}

}  // namespace holdfast::runner
