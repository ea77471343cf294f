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
#include "runner/executors.h"
#include "runner/messages.h"
#include "runner/program_host.h"
#include "runner/pulse.h"
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
        std::string frame;
        append_frame(frame, message);
        if (!platform::send_all(task_socket, frame)) end_process(abandoned_exit);
    }

private:
    FrameReader reader_;
    std::array<char, 64 * 1024> buffer_;
};

/// Gives each task fresh stdin, stdout and stderr, whatever the task before did to them.
class StandardStreams {
public:
    StandardStreams() {
        in_ = Descriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 16));
        std::tie(out_read_, out_) = platform::pipe_pair();
        std::tie(err_read_, err_) = platform::pipe_pair();
        platform::set_nonblocking(out_read_.get());
        platform::set_nonblocking(err_read_.get());
        restore();
        setvbuf(stdout, nullptr, _IOLBF, 0);
    }
    [[nodiscard]] Printout printout() { return {std::move(out_read_), std::move(err_read_)}; }

    /// So that scripts of this user can also open /dev/stdout and /dev/stderr.
    void give_to(const platform::Identity& identity) const {
        for (const int each : {out_.get(), err_.get()})
            [[maybe_unused]] const int ignored = fchown(each, identity.user, identity.group);
    }

    static void flush() {
        std::fflush(stdout);
        std::cout.flush();
        std::cout.clear();
        std::cerr.clear();
    }
    /// Also undoes what a task did to the files that all tasks share: one that writes must wait while a pipe is full.
    void restore() const {
        for (const int each : {out_.get(), err_.get()}) fcntl(each, F_SETFL, 0);
        dup2(in_.get(), STDIN_FILENO);
        dup2(out_.get(), STDOUT_FILENO);
        dup2(err_.get(), STDERR_FILENO);
    }

private:
    Descriptor in_, out_, err_, out_read_, err_read_;
};

class RunnerProcess {
public:
    RunnerProcess(TaskSocket tasks, Setup setup, const FunctionTable& functions, const std::string& folder,
                  const platform::CgroupPaths& groups)
        : functions_(functions),
          tasks_(std::move(tasks)),
          setup_(std::move(setup)),
          worker_(setup_.worker, setup_.limits.pass_env, read_withheld()),
          limits_(groups, setup_.limits.memory_bytes),
          pulse_(streams_.printout(), folder),
          site_{pulse_, worker_, limits_, folder, setup_.limits, setup_.identity} {}

    int run() {
        if (setup_.identity) {
            streams_.give_to(*setup_.identity);
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);  // before there is a second thread: it holds for one thread only
        }
        pulse_.start(limits_.usual());
        // From now on the pulse notices the keeper's death and kills the run's processes first.
        prctl(PR_SET_PDEATHSIG, 0);
        TaskSocket::send(engine::RunnerReady{.pid = getpid()});
        while (true)
            if (run_next()) return 0;
    }

private:
    static std::string read_withheld() {
        const Descriptor file(withheld_file);
        return platform::content_of(file.get());
    }

    bool run_next() {
        Run run = tasks_.expect<Run>();
        signal(SIGCHLD, SIG_DFL);  // a function may have ignored it, and then exit statuses are lost
        pulse_.begin(run);
        const store::Lease lease = run.order.lease.lease;
        Outcome outcome = execute(std::move(run.order));
        StandardStreams::flush();
        site_.kill_leftovers();
        streams_.restore();
        pulse_.finish();
        const bool leaves = ++tasks_run_ == setup_.limits.max_tasks_per_runner || limits_.were_broken() ||
                            has_grown() || has_changed_user();
        outcome.lease = lease;
        outcome.leaves = leaves;
        TaskSocket::send(std::move(outcome));
        return leaves;
    }

    Outcome execute(engine::RunOrder order) {
        if (order.spec.empty()) return execute_function(std::move(order), functions_, site_);
        const auto spec = core::parse_task_spec(order.spec);
        if (!spec) return failed_with(error_code::script_failed, "cannot read its specification: " + spec.error());
        if (spec->kind == core::TaskKind::Pod || spec->runner == core::ScriptRunner::Pod)
            return failed_with(error_code::script_failed, "this runner cannot run pods");
        try {
            return execute_script(order, *spec, site_);
        } catch (const std::exception& failure) {
            return failed_with(error_code::script_failed, failure.what());
        }
    }

    /// Memory that a task leaks is missing for the next one: half of the limit must be free. Checked only now and
    /// then, to keep short tasks cheap.
    bool has_grown() {
        const std::int64_t limit = setup_.limits.memory_bytes;
        if (limit == 0 || tasks_run_ % 16 != 0) return false;
        return platform::resident_bytes(getpid()) > limit / 2;
    }

    /// For a function, which cannot be undone.
    [[nodiscard]] bool has_changed_user() const { return setup_.identity && geteuid() == setup_.identity->user; }

    const FunctionTable& functions_;
    TaskSocket tasks_;
    Setup setup_;
    WorkerEnvironment worker_;
    TaskLimits limits_;
    StandardStreams streams_;
    Pulse pulse_;
    RunSite site_;
    std::int64_t tasks_run_ = 0;
};

}  // namespace

void RunSite::kill_leftovers() const {
    if (identity && identity->is_exclusive)
        platform::kill_all_processes_of(*identity);
    else
        platform::kill_all_descendants();
}

int run_runner(int argc, char** argv, const FunctionTable& functions) {
    prctl(PR_SET_NAME, "holdfast-runner");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const int each : {task_socket, control_socket, keeper_pipe, withheld_file}) fcntl(each, F_SETFD, FD_CLOEXEC);
    // Never destroyed: the pulse still beats while the process exits, for example when a function calls exit().
    const auto argument = [&](int index) { return std::string(index < argc ? argv[index] : ""); };
    const platform::CgroupPaths groups = {argument(4), argument(5), argument(6)};
    TaskSocket tasks;
    auto setup = tasks.expect<Setup>();
    if (!setup.program.empty()) run_program_host(setup, groups);
    static RunnerProcess& runner =
        *new RunnerProcess(std::move(tasks), std::move(setup), functions, argument(3), groups);
    _exit(runner.run());
}

}  // namespace holdfast::runner
