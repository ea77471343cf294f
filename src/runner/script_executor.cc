#include <errno.h>
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
#include "runner/executors.h"
#include "runner/pulse.h"
#include "runner/script_environment.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

constexpr Duration engine_patience = std::chrono::seconds(30);
constexpr const char* inside = "/holdfast";  // where a container sees the directory of ScriptFiles

/// One run of a script or a container, prepared.
struct ScriptRun {
    const engine::RunOrder& order;
    const core::TaskSpec& spec;
    const Secrets& secrets;
    const ScriptFiles& files;
    int input;
    const RunSite& site;

    [[nodiscard]] bool names_its_interpreter() const { return spec.script.starts_with("#!"); }
};

/// Waits for this child, and reaps orphans that this process has adopted meanwhile. Returns the status of waitpid, or
/// that of exit code 255 when the run itself has reaped it.
int wait_for_process(pid_t child) {
    int status = 0;
    for (pid_t pid = 0; pid != child;)
        if ((pid = waitpid(-1, &status, __WALL)) < 0 && errno != EINTR) return W_EXITCODE(255, 0);
    return status;
}

/// Returns the status of waitpid when the program has ended, or why it cannot be started.
Result<int, std::string> run_to_its_end(const platform::LaunchParams& params, const Pulse& pulse) {
    const auto pid = platform::launch(params);
    if (!pid) return Failure{pid.error()};
    if (pulse.is_stopping()) kill(*pid, SIGTERM);  // the pulse may have signalled before the process existed
    return wait_for_process(*pid);
}

// ---- On this machine --------------------------------------------------------------------------------------------

platform::LaunchParams launch_params(const ScriptRun& run) {
    const ScriptFiles& files = run.files;
    platform::LaunchParams params;
    params.file = run.names_its_interpreter() ? files.script() : "/bin/sh";
    params.arguments = {run.names_its_interpreter() ? files.script() : "sh"};
    if (!run.names_its_interpreter()) params.arguments.push_back(files.script());
    params.environment =
        script_environment(run.order, run.spec, files, run.secrets, run.site.worker, run.site.identity);
    params.directory = run.spec.dir.empty() ? files.work() : run.spec.dir;
    params.input = run.input;
    params.identity = run.site.identity;
    return params;
}

/// The kernel counts the threads of the user. Those of all users are counted here, so the limit is too wide rather
/// than too tight; it is too tight only where the user has processes that this one cannot see, in other containers.
unsigned user_processes_with(int more) {
    int all = more;
    for (const auto& process : platform::list_processes()) all += process.threads;
    return static_cast<unsigned>(all);
}

/// The limit that the kernel is told for the run's user. Of a user that nothing else has it is exact.
std::optional<unsigned> user_processes(const RunSite& site, const std::optional<int>& most,
                                       const TreeLimits& watched) {
    if (most && site.identity && site.identity->is_exclusive) return static_cast<unsigned>(*most);
    if (watched.processes > 0) return user_processes_with(static_cast<int>(watched.processes));
    return std::nullopt;
}

/// The limit of the task, but not above that of the worker (0: none); nullopt: no limit.
template <typename Number>
std::optional<Number> lowest(const std::optional<Number>& of_task, std::int64_t of_worker) {
    if (of_worker == 0) return of_task;
    const auto most = static_cast<Number>(of_worker);
    return of_task ? std::min(*of_task, most) : most;
}

/// A task that is not trusted must not raise the worker's limit.
std::optional<std::int64_t> memory_limit(const ScriptRun& run) {
    const std::int64_t of_worker = run.site.identity && run.spec.memory_bytes ? run.site.given.memory_bytes : 0;
    return lowest(run.spec.memory_bytes, of_worker);
}

Result<ScriptEnd, std::string> run_locally(const ScriptRun& run) {
    Pulse& pulse = run.site.pulse;
    TaskLimits& limits = run.site.limits;
    const auto processes = lowest(run.spec.max_processes, run.site.given.max_processes);
    const TreeLimits watched = limits.begin(memory_limit(run), processes);
    pulse.watch_tree(watched);
    platform::LaunchParams params = launch_params(run);
    params.most_user_processes = user_processes(run.site, processes, watched);
    const auto status = run_to_its_end(params, pulse);
    if (!status) {
        limits.end();
        return Failure{status.error()};
    }
    ScriptEnd end{.status = *status, .was_asked_to_stop = pulse.is_stopping()};
    run.site.kill_leftovers();
    end.broken_limit = pulse.broken_limit();
    if (!end.broken_limit) end.broken_limit = limits.broken_in_kernel();
    limits.end();
    return end;
}

// ---- In a container ---------------------------------------------------------------------------------------------

/// The variables of a container beside those of its task. PATH, HOME, LANG and TZ are the image's own: the worker's
/// do not fit the image.
Variables named_variables(const Variables& of_task, const ScriptRun& run) {
    Variables variables = run.secrets;
    variables.merge(run.site.worker.passed());
    std::erase_if(variables, [&](const auto& each) { return of_task.contains(each.first); });
    return variables;
}

ContainerRun container_run(const ScriptRun& run, const Variables& variables, const Variables& by_name) {
    ContainerRun container{.lease = run.order.lease, .spec = run.spec, .folder = run.files.folder()};
    container.id_file = container_id_file(run.site.folder);
    container.variables = assignments(variables);
    // Their values come from the environment of the engine's command, because every user can read its arguments.
    for (const auto& [name, value] : by_name) container.variables.push_back(name);
    container.directory = run.spec.dir;
    if (run.spec.kind != core::TaskKind::Script) {
        container.command = run.spec.command;
        return container;
    }
    if (container.directory.empty()) container.directory = concat(inside, "/work");
    const std::string script = concat(inside, "/script");
    container.entrypoint = run.names_its_interpreter() ? script : "sh";
    if (!run.names_its_interpreter()) container.command = {script};
    return container;
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

/// Returns the exit status of the engine's command, which has ended then. `by_name`: the values of the variables that
/// `container` only names.
Result<int, std::string> run_engine(const ContainerRun& container, const Variables& by_name, const ScriptRun& run) {
    platform::LaunchParams params;
    params.arguments = run_command(run.site.given.containers, container);
    params.file = platform::find_program(params.arguments.front());
    params.environment = platform::environment_with(assignments(by_name));
    params.directory = "/";
    params.input = run.input;
    note_container(run.site.folder, run.site.given.containers, container.lease);
    auto status = run_to_its_end(params, run.site.pulse);
    if (!status) forget_container(run.site.folder);
    return status;
}

/// Adds output that has not arrived from the engine's log of the container. Podman, for one, loses the end or all of
/// a container's output in one of a hundred runs on a busy machine.
void complete_output(const std::string& container, const RunSite& site) {
    if (site.pulse.has_cut_output()) return;
    const std::string out = site.folder + "/out", err = site.folder + "/err";
    const auto saved =
        platform::run_program(save_log_command(site.given.containers, container, out, err), engine_patience);
    if (!saved || saved->status != 0) return;
    std::ifstream all_out(out, std::ios::binary), all_err(err, std::ios::binary);
    site.pulse.complete_output(all_out, all_err);
}

/// Known only while the container exists.
std::optional<std::string> limit_broken_by(const std::string& container, const ScriptRun& run, int status) {
    if (!run.spec.memory_bytes || status == 0) return std::nullopt;
    const auto answer =
        platform::run_program(ask_out_of_memory_command(run.site.given.containers, container), engine_patience);
    if (!answer || !answer->output.starts_with("true")) return std::nullopt;
    return memory_limit_text(*run.spec.memory_bytes);
}

/// Returns when the container is certainly gone: until then the run has not ended.
void remove_container(const std::string& container, const RunSite& site) {
    const auto removed = platform::run_program(remove_command(site.given.containers, container), engine_patience);
    if (!removed || removed->status != 0)
        while (!remove_noted_container(site.folder, engine_patience)) sleep(1);
    forget_container(site.folder);
}

Result<ScriptEnd, std::string> run_in_container(const ScriptRun& run) {
    const RunSite& site = run.site;
    open_to_all(run.files);
    const Variables variables = task_variables(run.order, run.spec, inside, site.worker.worker());
    const Variables by_name = named_variables(variables, run);
    const auto status = run_engine(container_run(run, variables, by_name), by_name, run);
    if (!status) return Failure{concat(site.given.containers.command.front(), ": ", status.error())};
    site.pulse.leave_processes_alone();
    ScriptEnd end{.status = *status, .was_asked_to_stop = site.pulse.is_stopping()};
    end.how = how_it_ended(*status, run.spec);
    const std::string container = container_name(run.order.lease);
    // The container of a command that was killed may go on running until it is removed.
    if (WIFEXITED(*status)) complete_output(container, site);
    end.broken_limit = limit_broken_by(container, run, *status);
    remove_container(container, site);
    platform::kill_all_descendants();
    return end;
}

}  // namespace

Outcome execute_script(const engine::RunOrder& order, const core::TaskSpec& spec, const RunSite& site) {
    if (site.identity && spec.runs_in_container())
        return failed_with(error_code::script_failed,
                           "this worker has run_as and runs no containers, because their engine decides who they run "
                           "as; use a worker without run_as, and --user in its container_run_options");
    const auto secrets = read_secrets(spec, site.worker, site.identity ? &site.given.secret_sources : nullptr);
    if (!secrets) return failed_with(secret_not_available, secrets.error());
    const SecretMask mask(*secrets);
    site.pulse.hide(mask);
    if (const auto note = note_on_long_args(order)) site.pulse.log(*note);
    const bool in_container = spec.runs_in_container();
    // The note about a container is outside the directory that the container, or another user, can change.
    std::optional<platform::FreshFolder> outside;
    if (in_container || site.identity) outside.emplace(site.folder);
    if (site.identity) chmod(site.folder.c_str(), 0711);
    const ScriptFiles files(outside ? site.folder + "/run" : site.folder, spec.script, order.checkpoint,
                            in_container ? 0 : site.given.scratch_bytes);
    const Descriptor input = platform::memory_file("holdfast-args", order.args);
    const auto user = site.identity ? std::optional(site.identity->user) : std::nullopt;
    site.pulse.open_socket(files.socket(), site.given.max_payload, user);
    if (site.identity) files.give_to(*site.identity);
    const ScriptRun run{order, spec, *secrets, files, input.get(), site};
    auto ended = in_container ? run_in_container(run) : run_locally(run);
    if (!ended) return failed_with(error_code::script_failed, ended.error());
    ScriptEnd& end = ended.value();
    const Pulse::LastLines last = site.pulse.last_lines();
    end.last_line_of_stderr = last.err;
    const std::int64_t max_payload = site.given.max_payload;
    end.given = given_result(files.read_result(static_cast<std::size_t>(max_payload), user), last.out, max_payload);
    return masked(script_outcome(end, max_payload), mask);
}

}  // namespace holdfast::runner
