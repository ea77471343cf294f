#include "platform/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/descriptor.h"
#include "base/text.h"
#include "base/throw_errno.h"
#include "platform/service_loop.h"
#include "platform/signals.h"
#include "platform/sockets.h"

namespace holdfast::platform {

// ---- Programs and their environment -----------------------------------------------------------------------------

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return name;
    const char* path = std::getenv("PATH");
    for (const std::string_view folder : split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':'))
        if (std::string file = concat(folder, "/", name); access(file.c_str(), X_OK) == 0) return file;
    return {};
}

std::vector<char*> exec_vector(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
    const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    std::vector<std::string> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const auto same = [&](const std::string& other) { return name_of(other) == name_of(*entry); };
        if (std::ranges::none_of(added, same)) merged.emplace_back(*entry);
    }
    merged.insert(merged.end(), added.begin(), added.end());
    return merged;
}

// ---- This program again -----------------------------------------------------------------------------------------

namespace {

int open_own_program() {
    const Descriptor opened(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    return fcntl(opened.get(), F_DUPFD_CLOEXEC, 64);  // clear of the numbers that children use
}

}  // namespace

int own_program() {
    static const int opened = open_own_program();
    if (opened < 0) throw_errno("open /proc/self/exe");
    return opened;
}

void execute_own_program(int program, std::initializer_list<int> descriptors, char* const* arguments,
                         char* const* environment) {
    std::array<int, 8> kept{};
    std::size_t count = 0;
    // Out of the way first: one of them may have a number that another one gets.
    for (const int each : descriptors) kept.at(count++) = fcntl(each, F_DUPFD_CLOEXEC, 16);
    int number = first_given_descriptor;
    for (std::size_t i = 0; i < count; ++i) dup2(kept.at(i), number++);
    close_range(static_cast<unsigned>(number), ~0U, CLOSE_RANGE_CLOEXEC);
    fexecve(program, arguments, environment);
}

// ---- Child processes --------------------------------------------------------------------------------------------

namespace {

/// What the child reports when it fails before the exec.
struct Complaint {
    enum Stage { User, Directory, Program } stage = User;
    int error = 0;
};

/// Everything that the child uses. It must not allocate after the fork: another thread may hold the allocator's lock.
struct Prepared {
    const LaunchParams& params;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    pid_t parent;
    int complaints;
};

// When memory runs out the kernel should kill the task first: the runner can then report it.
void volunteer_for_the_oom_killer() {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    [[maybe_unused]] const auto written = write(file, "800", 3);
    close(file);
}

void limit_processes(const std::optional<unsigned>& most) {
    if (!most) return;
    const rlimit limit{*most, *most};
    setrlimit(RLIMIT_NPROC, &limit);
}

[[noreturn]] void give_up(const Prepared& prepared, Complaint::Stage stage) {
    const Complaint complaint{stage, errno};
    [[maybe_unused]] const auto written = write(prepared.complaints, &complaint, sizeof complaint);
    _exit(127);
}

/// A change of the user cancels the signal that the kernel sends when the parent has died.
void become_user(const Prepared& prepared) {
    if (!become(*prepared.params.identity)) give_up(prepared, Complaint::User);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != prepared.parent) _exit(127);
}

[[noreturn]] void become_program(const Prepared& prepared) {
    restore_signals();
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != prepared.parent) _exit(127);
    volunteer_for_the_oom_killer();
    if (prepared.params.input >= 0) dup2(prepared.params.input, STDIN_FILENO);
    if (prepared.params.output >= 0) dup2(prepared.params.output, STDOUT_FILENO);
    if (prepared.params.errors >= 0) dup2(prepared.params.errors, STDERR_FILENO);
    limit_processes(prepared.params.most_user_processes);
    if (prepared.params.identity) become_user(prepared);
    if (chdir(prepared.params.directory.c_str()) != 0) give_up(prepared, Complaint::Directory);
    execve(prepared.params.file.c_str(), prepared.arguments.data(), prepared.environment.data());
    give_up(prepared, Complaint::Program);
}

std::string explain(const LaunchParams& params, const Complaint& complaint) {
    if (complaint.stage == Complaint::User)
        return concat("cannot become the user ", params.identity->user, ": ", strerror(complaint.error));
    if (complaint.stage == Complaint::Directory)
        return concat("cannot enter the directory ", params.directory, ": ", strerror(complaint.error));
    return concat("cannot execute ", params.file, ": ", strerror(complaint.error));
}

constexpr std::size_t most_output = 1024 * 1024;

/// True when it has ended; false when the time is up.
bool read_to_end(int descriptor, Duration deadline, std::string& text) {
    std::array<char, 4096> buffer;
    while (true) {
        const Duration left = deadline - machine_time();
        if (left <= Duration::zero()) return false;
        pollfd readable{descriptor, POLLIN, 0};
        if (poll(&readable, 1, poll_timeout(left)) <= 0) continue;
        const ssize_t got = read(descriptor, buffer.data(), buffer.size());
        if (got <= 0) return true;
        if (text.size() < most_output) text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

Result<pid_t, std::string> launch(const LaunchParams& params) {
    auto [complaints, complaining] = pipe_pair();
    const Prepared prepared{params, exec_vector(params.arguments), exec_vector(params.environment), getpid(),
                            complaining.get()};
    const pid_t pid = fork();
    if (pid < 0) return Failure{concat("cannot fork: ", strerror(errno))};
    if (pid == 0) become_program(prepared);
    complaining.close();
    Complaint complaint;
    ssize_t got = 0;
    while ((got = read(complaints.get(), &complaint, sizeof complaint)) < 0 && errno == EINTR) {
    }
    if (got == 0) return pid;  // closed by the exec
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return Failure{explain(params, complaint)};
}

std::optional<int> status_within(pid_t child, Duration patience) {
    const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    pollfd ended{handle.get(), POLLIN, 0};
    const bool in_time = !handle || poll(&ended, 1, poll_timeout(patience)) == 1;
    if (!in_time) kill(-child, SIGKILL);
    int status = 0;
    pid_t reaped = 0;
    while ((reaped = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    if (!in_time || reaped < 0) return std::nullopt;
    return status;
}

std::optional<ProgramEnd> run_program(const std::vector<std::string>& words, Duration patience) {
    const Duration deadline = machine_time() + patience;
    auto [output, writing] = pipe_pair();
    const auto pid = launch({.file = find_program(words.front()),
                             .arguments = words,
                             .environment = environment_with({}),
                             .directory = "/",
                             .output = writing.get()});
    writing.close();
    if (!pid) return std::nullopt;
    ProgramEnd end;
    const bool in_time = read_to_end(output.get(), deadline, end.output);
    const auto status = status_within(*pid, deadline - machine_time());
    if (!in_time || !status) return std::nullopt;
    end.status = *status;
    return end;
}

}  // namespace holdfast::platform
