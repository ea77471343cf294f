#include "proof/crew/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "base/throw_errno.h"
#include "platform/programs.h"
#include "platform/sockets.h"
#include "proof/crew/patience.h"
#include "store/sqlite/lock_holders.h"

namespace holdfast::crew {

namespace {

Descriptor open_log(const std::string& path) {
    Descriptor log(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!log) throw_errno(path);
    return log;
}

/// Both ends of a stream that the child writes; `ours` only for a pipe.
struct PrintStream {
    PrintStream(Stream stream, const std::string& log) {
        if (stream == Stream::Piped) std::tie(ours, theirs) = platform::pipe_pair();
        if (stream == Stream::Logged) theirs = open_log(log);
    }
    Descriptor ours, theirs;
};

int exit_code_of(const siginfo_t& end) {
    return end.si_code == CLD_EXITED ? end.si_status : -end.si_status;
}

/// Waits for any of these changes, and leaves it to be waited for again.
int next_change(const Descriptor& handle, int changes) {
    siginfo_t found{};
    while (waitid(P_PIDFD, static_cast<id_t>(handle.get()), &found, changes | WEXITED | WNOWAIT) != 0)
        if (errno != EINTR) break;
    return found.si_code;
}

bool read_some(const Descriptor& from, std::string& into) {
    std::array<char, 65536> buffer;
    ssize_t got = 0;
    while ((got = read(from.get(), buffer.data(), buffer.size())) < 0 && errno == EINTR) {
    }
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
}

void wait_for_input(const Descriptor& from, const Deadline& deadline) {
    pollfd readable{from.get(), POLLIN, 0};
    while (readable.revents == 0) poll(&readable, 1, deadline.milliseconds_left());
}

}  // namespace

Process::Process(const ProcessParams& params) : name_(params.command.front()) {
    PrintStream output(params.output, params.log), errors(params.errors, params.log);
    Descriptor source;
    if (params.has_input) {
        std::tie(source, input_) = platform::pipe_pair();
        signal(SIGPIPE, SIG_IGN);  // its death must not be ours
    } else {
        source = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    const auto pid = platform::launch(
        {.file = params.program.empty() ? platform::find_program(params.command.front()) : params.program,
         .arguments = params.command,
         .environment = params.environment ? *params.environment : platform::environment_with({}),
         .directory = params.folder,
         .output = output.theirs.get(),
         .input = source.get(),
         .errors = errors.theirs.get(),
         .most_user_processes = params.most_user_processes});
    if (!pid) throw std::runtime_error(concat(name_, " cannot be started: ", pid.error()));
    pid_ = *pid;
    handle_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    output_ = std::move(output.ours);
    errors_ = std::move(errors.ours);
}

Process::~Process() {
    if (!handle_ || has_ended()) return;
    send(SIGKILL);
    siginfo_t ignored{};
    waitid(P_PIDFD, static_cast<id_t>(handle_.get()), &ignored, WEXITED);
}

void Process::send(int signal) const {
    if (!has_ended()) syscall(SYS_pidfd_send_signal, handle_.get(), signal, nullptr, 0);
}

int Process::wait() {
    if (!has_ended()) {
        wait_for_input(handle_, Deadline(concat("the end of ", name_, " (pid ", pid_, ")")));
        siginfo_t end{};
        waitid(P_PIDFD, static_cast<id_t>(handle_.get()), &end, WEXITED);
        exit_code_ = exit_code_of(end);
    }
    return *exit_code_;
}

int Process::kill() {
    send(SIGKILL);
    return wait();
}

void Process::dismiss(int signal) {
    send(signal);
    try {
        wait();
    } catch (const std::runtime_error&) {
        kill();
    }
}

bool Process::stop() const {
    send(SIGSTOP);
    return next_change(handle_, WSTOPPED) == CLD_STOPPED;
}

void Process::go_on() const {
    send(SIGCONT);
    next_change(handle_, WCONTINUED);
}

bool Process::note_end(pid_t pid, int status) {
    if (pid != pid_ || has_ended()) return false;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return true;
}

bool Process::fetch_output() {
    wait_for_input(output_, Deadline("a line of " + name_));
    return read_some(output_, unread_);
}

std::optional<std::string> Process::read_line() {
    while (unread_.find('\n') == std::string::npos)
        if (!fetch_output()) return std::nullopt;
    std::string line = unread_.substr(0, unread_.find('\n'));
    unread_.erase(0, line.size() + 1);
    return line;
}

Process::Printed Process::read_to_end() {
    Printed printed{.output = std::exchange(unread_, {})};
    std::array<pollfd, 2> sources = {{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
    while (sources[0].fd >= 0 || sources[1].fd >= 0) {
        poll(sources.data(), sources.size(), -1);
        if (sources[0].revents != 0 && !read_some(output_, printed.output)) sources[0].fd = -1;
        if (sources[1].revents != 0 && !read_some(errors_, printed.errors)) sources[1].fd = -1;
    }
    return printed;
}

void Process::write(std::string_view text) const {
    if (::write(input_.get(), text.data(), text.size()) < 0 && errno != EPIPE) throw_errno("write to " + name_);
}

int run_to_end(const ProcessParams& params) {
    return Process(params).wait();
}

bool freeze(const Process& process, const std::function<bool()>& blocks_others) {
    while (process.stop()) {
        if (!blocks_others()) return true;
        process.go_on();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

bool blocks_writers(const Process& process, const std::string& database) {
    for (const char* suffix : {"-gate", "-turn", "-shm"})  // the writers' turnstile, and the lock of the WAL
        if (sqlite::has_locked(process.pid(), database + suffix)) return true;
    return false;
}

void reap_children(const std::function<void(pid_t, int)>& report) {
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) report(pid, status);
}

std::vector<std::string> crew_environment(const std::vector<std::string>& added) {
    std::vector<std::string> kept;
    for (std::string& entry : platform::environment_with(added))
        if (!entry.starts_with("HOLDFAST_") && !entry.starts_with("NOTIFY_SOCKET=") &&
            !entry.starts_with("WATCHDOG_USEC="))
            kept.push_back(std::move(entry));
    return kept;
}

}  // namespace holdfast::crew
