#include "runner/roles.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <iostream>

#include "platform/files.h"
#include "platform/process_table.h"
#include "platform/sockets.h"
#include "runner/container_executor.h"
#include "runner/executor.h"
#include "runner/function_executor.h"
#include "runner/messages.h"
#include "runner/outbox.h"
#include "runner/pulse.h"
#include "runner/runner_start.h"
#include "runner/script_executor.h"
#include "runner/task_limits.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

namespace {

/// Reads the messages on the task socket, blocking.
class TaskSocket {
public:
    /// Ends the process when the worker is gone, or sends another message.
    template <typename Expected>
    Expected expect() {
        while (true) {
            if (auto message = reader_.next())
                if (auto* expected = std::get_if<Expected>(&*message)) return std::move(*expected);
            const ssize_t got = recv(task_socket, buffer_.data(), buffer_.size(), 0);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0 || reader_.is_broken()) end_process(abandoned_exit);
            reader_.feed({buffer_.data(), static_cast<std::size_t>(got)});
        }
    }
    static void send(const Message& message) {
        if (!send_waiting(task_socket, message)) end_process(abandoned_exit);
    }

private:
    FrameReader reader_;
    std::array<char, 64 * 1024> buffer_;
};

/// Gives each task fresh stdin, stdout and stderr, whatever the task before did to them.
class StandardStreams {
public:
    StandardStreams() {
        in_ = duplicate(STDIN_FILENO);
        Descriptor out_read, err_read;
        std::tie(out_read, out_) = platform::pipe_pair();
        std::tie(err_read, err_) = platform::pipe_pair();
        platform::set_nonblocking(out_read.get());
        platform::set_nonblocking(err_read.get());
        out_read_ = std::move(out_read);
        err_read_ = std::move(err_read);
        restore();
        setvbuf(stdout, nullptr, _IOLBF, 0);
    }
    [[nodiscard]] Printout printout() { return {std::move(out_read_), std::move(err_read_)}; }

    static void flush() {
        std::fflush(stdout);
        std::cout.flush();
        std::cout.clear();
        std::cerr.clear();
    }
    void restore() const {
        dup2(in_.get(), STDIN_FILENO);
        dup2(out_.get(), STDOUT_FILENO);
        dup2(err_.get(), STDERR_FILENO);
    }

private:
    static Descriptor duplicate(int descriptor) { return Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 16)); }

    Descriptor in_, out_, err_, out_read_, err_read_;
};

class RunnerProcess {
public:
    RunnerProcess(const FunctionTable& functions, const RunnerPlace& place)
        : setup_(tasks_.expect<Setup>()),
          worker_(setup_.worker, setup_.pass_env, read_withheld()),
          limits_(place.groups, setup_.memory_limit),
          pulse_(streams_.printout(), place.folder),
          function_(functions, setup_.max_payload),
          script_(place.folder, worker_, limits_, setup_.max_payload),
          container_(place.folder, worker_, setup_.containers, setup_.max_payload) {}

    int run() {
        pulse_.set_usual_limits(limits_.usual());
        pulse_.start();
        prctl(PR_SET_PDEATHSIG,
              0);  // from now on the pulse notices the keeper's death and kills the run's processes first
        TaskSocket::send(Ready{getpid()});
        while (true)
            if (run_next()) return 0;
    }

private:
    static std::string read_withheld() {
        const Descriptor file(withheld_file);
        return platform::content_of(file.get());
    }

    bool run_next() {
        const Run run = tasks_.expect<Run>();
        signal(SIGCHLD, SIG_DFL);  // a function may have ignored it, and then exit statuses are lost
        pulse_.begin(run);
        Outcome outcome = execute(run.order);
        StandardStreams::flush();
        platform::kill_all_descendants();
        streams_.restore();
        pulse_.finish();
        const bool leaves = ++tasks_run_ == setup_.max_tasks || limits_.were_broken() || has_grown();
        TaskSocket::send(Ended{run.order.lease.lease, outcome.completed, outcome.saw_stop, outcome.threw_stop, leaves,
                               std::move(outcome.result), std::move(outcome.error)});
        return leaves;
    }

    Outcome execute(const engine::RunOrder& order) {
        if (order.spec.empty()) return function_.execute(order, {}, pulse_);
        const auto spec = core::parse_task_spec(order.spec);
        if (!spec) return failed_with(error_code::script_failed, "cannot read its specification: " + spec.error());
        try {
            return execute_spec(order, *spec);
        } catch (const std::exception& failure) {
            return failed_with(error_code::script_failed, failure.what());
        }
    }

    Outcome execute_spec(const engine::RunOrder& order, const core::TaskSpec& spec) {
        if (spec.kind == core::TaskKind::Pod || spec.runner == core::ScriptRunner::Pod)
            return failed_with(error_code::script_failed, "this runner cannot run pods");
        if (spec.kind == core::TaskKind::Docker || spec.runner == core::ScriptRunner::Docker)
            return container_.execute(order, spec, pulse_);
        return script_.execute(order, spec, pulse_);
    }

    /// Memory that a task leaks is missing for the next one: half of the limit must be free. Checked only now and
    /// then, to keep short tasks cheap.
    bool has_grown() {
        if (setup_.memory_limit == 0 || tasks_run_ % 16 != 0) return false;
        return platform::resident_bytes(getpid()) > setup_.memory_limit / 2;
    }

    TaskSocket tasks_;
    Setup setup_;
    WorkerEnvironment worker_;
    TaskLimits limits_;
    StandardStreams streams_;
    Pulse pulse_;
    FunctionExecutor function_;
    ScriptExecutor script_;
    ContainerExecutor container_;
    std::int64_t tasks_run_ = 0;
};

}  // namespace

int run_runner(int argc, char** argv, const FunctionTable& functions) {
    prctl(PR_SET_NAME, "holdfast-runner");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const int each : {task_socket, control_socket, keeper_pipe, withheld_file}) fcntl(each, F_SETFD, FD_CLOEXEC);
    // Never destroyed: the pulse still beats while the process exits, for example when a function calls exit().
    static RunnerProcess& runner = *new RunnerProcess(functions, parse_place(argc, argv));
    const int exit_code = runner.run();
    _exit(exit_code);
}

}  // namespace holdfast::runner
