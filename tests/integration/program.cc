#include "integration/program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/text.h"

namespace holdfast::integration {

namespace {

constexpr uid_t nobody = 65534;

struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
        read_end = ends[0];
        write_end = ends[1];
    }
    int read_end;
    int write_end;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Everything is made before the fork: after it only what is safe in a child of a process with threads.
struct Prepared {
    Prepared(const std::string& path, const RunParams& params) : arguments{path}, folder(params.folder) {
        arguments.insert(arguments.end(), params.arguments.begin(), params.arguments.end());
        const char* search = std::getenv("PATH");
        environment.push_back(concat("PATH=", search == nullptr ? "" : search));
        for (const auto& [name, value] : params.environment) environment.push_back(concat(name, "=", value));
        argv = pointers_to(arguments);
        envp = pointers_to(environment);
    }
    std::vector<std::string> arguments, environment;
    std::vector<char*> argv, envp;
    std::string folder;
};

[[noreturn]] void become(const Prepared& prepared, const RunParams& params) {
    if (chdir(prepared.folder.c_str()) != 0) _exit(125);
    if (params.max_file_size) {
        const rlimit limit{*params.max_file_size, *params.max_file_size};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(125);
    }
    if (params.as_nobody && getuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(125);
    execve(prepared.argv[0], prepared.argv.data(), prepared.envp.data());
    _exit(126);
}

bool read_some(int descriptor, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
}

void read_both(int out, int err, std::string& out_text, std::string& err_text) {
    std::array<pollfd, 2> sources = {{{out, POLLIN, 0}, {err, POLLIN, 0}}};
    while (sources[0].fd >= 0 || sources[1].fd >= 0) {
        poll(sources.data(), sources.size(), -1);
        if (sources[0].revents != 0 && !read_some(out, out_text)) sources[0].fd = -1;
        if (sources[1].revents != 0 && !read_some(err, err_text)) sources[1].fd = -1;
    }
}

int exit_code_of(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct Started {
    pid_t pid;
    int out, err;
};

Started start(const std::string& path, const RunParams& params) {
    const Prepared prepared(path, params);
    const Pipe in, out, err;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(in.read_end, STDIN_FILENO);
        const int sink = params.output_file.empty() ? out.write_end : open(params.output_file.c_str(), O_WRONLY);
        dup2(sink, STDOUT_FILENO);
        dup2(err.write_end, STDERR_FILENO);
        become(prepared, params);
    }
    for (const int unused : {in.read_end, out.write_end, err.write_end}) close(unused);
    if (write(in.write_end, params.input.data(), params.input.size()) < 0) throw std::runtime_error("write");
    close(in.write_end);
    return {pid, out.read_end, err.read_end};
}

}  // namespace

std::vector<std::string> Ran::lines() const {
    std::vector<std::string> found;
    std::istringstream text(out);
    for (std::string line; std::getline(text, line);) found.push_back(line);
    return found;
}

std::vector<nlohmann::json> Ran::json_lines() const {
    std::vector<nlohmann::json> found;
    for (const auto& line : lines()) found.push_back(nlohmann::json::parse(line));
    return found;
}

std::string program_path() {
    return HOLDFAST_PROGRAM;
}

Ran run_program(const RunParams& params) {
    return run_program(program_path(), params);
}

Ran run_program(const std::string& path, const RunParams& params) {
    const Started started = start(path, params);
    Ran ran;
    read_both(started.out, started.err, ran.out, ran.err);
    close(started.out);
    close(started.err);
    ran.exit_code = exit_code_of(started.pid);
    return ran;
}

Ran run_on_terminal(const RunParams& params) {
    const Prepared prepared(program_path(), params);
    int terminal = -1;
    winsize size{
        .ws_row = params.terminal_size.first, .ws_col = params.terminal_size.second, .ws_xpixel = 0, .ws_ypixel = 0};
    const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
    if (pid == 0) become(prepared, params);
    Ran ran;
    while (read_some(terminal, ran.out)) {
    }
    close(terminal);
    ran.exit_code = exit_code_of(pid);
    return ran;
}

RunningProgram::RunningProgram(const RunParams& params) {
    const Started started = start(program_path(), params);
    pid_ = started.pid;
    out_ = started.out;
    err_ = started.err;
}

RunningProgram::RunningProgram(RunningProgram&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), out_(other.out_), err_(other.err_), unread_(std::move(other.unread_)) {}

RunningProgram::~RunningProgram() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    (void)finish();
}

std::string RunningProgram::read_line() {
    while (unread_.find('\n') == std::string::npos)
        if (!read_some(out_, unread_)) throw std::runtime_error("the program ended without another line");
    std::string line = unread_.substr(0, unread_.find('\n'));
    unread_.erase(0, line.size() + 1);
    return line;
}

void RunningProgram::send(int signal) const {
    kill(pid_, signal);
}

Ran RunningProgram::finish() {
    Ran ran;
    ran.out = std::move(unread_);
    read_both(out_, err_, ran.out, ran.err);
    close(out_);
    close(err_);
    ran.exit_code = exit_code_of(std::exchange(pid_, -1));
    return ran;
}

}  // namespace holdfast::integration
