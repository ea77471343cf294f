#include "store_contract/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <system_error>
#include <utility>

#include "store_contract/child_roles.h"

namespace holdfast::contract {
namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    return {ends[0], ends[1]};
}

void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
}

std::vector<std::string> command_line(const ChildProcess::Params& params) {
    std::vector<std::string> words = {"/proc/self/exe", "--child",
                                      params.role,      to_text(params.kind),
                                      params.address,   std::to_string(params.now.time_since_epoch().count())};
    words.insert(words.end(), params.arguments.begin(), params.arguments.end());
    return words;
}

int exit_code(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

ChildProcess::ChildProcess(const Params& params) {
    const Pipe to_child = make_pipe();
    const Pipe from_child = make_pipe();
    auto words = command_line(params);
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    pid_ = fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {  // only async-signal-safe calls from here: other threads may hold any lock
        dup2(to_child.read_end, STDIN_FILENO);
        dup2(from_child.write_end, STDOUT_FILENO);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    close(to_child.read_end);
    close(from_child.write_end);
    input_ = to_child.write_end;
    output_ = from_child.read_end;
    signal(SIGPIPE, SIG_IGN);  // a killed child's input is no reason to die
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      unread_(std::move(other.unread_)) {}

ChildProcess::~ChildProcess() {
    kill();
    close_end(input_);
    close_end(output_);
}

std::optional<std::string> ChildProcess::read_line() {
    while (true) {
        if (const auto end = unread_.find('\n'); end != std::string::npos) {
            std::string line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            return line;
        }
        std::array<char, 65536> buffer{};
        const ssize_t got = read(output_, buffer.data(), buffer.size());
        if (got <= 0) return std::nullopt;  // half a line is not a line: its writer was killed while saying it
        unread_.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

std::vector<std::string> ChildProcess::read_to_end() {
    std::vector<std::string> lines;
    while (auto line = read_line()) lines.push_back(std::move(*line));
    return lines;
}

void ChildProcess::write_line(const std::string& line) {
    const std::string text = line + "\n";
    if (write(input_, text.data(), text.size()) < 0 && errno != EPIPE) {
        throw std::system_error(errno, std::generic_category(), "write to child");
    }
}

void ChildProcess::close_input() {
    close_end(input_);
}

void ChildProcess::kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
}

int ChildProcess::wait() {
    close_input();
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return exit_code(status);
}

void ChildContext::say(const std::string& line) const {
    std::cout << line << std::endl;
}

std::optional<std::string> ChildContext::hear() const {
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    return line;
}

bool ChildContext::told_to_stop() const {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return poll(&input, 1, 0) > 0;
}

int run_child(int argc, char** argv) {
    const std::vector<std::string> words(argv + 2, argv + argc);
    const ChildContext context{
        .open = {.kind = words.at(1) == "sqlite" ? StoreKind::Sqlite : StoreKind::Postgres, .address = words.at(2)},
        .clock = FakeClock(Timestamp(Duration(std::stoll(words.at(3))))),
        .arguments = std::vector<std::string>(words.begin() + 4, words.end())};
    try {
        return child_role(words.at(0))(context);
    } catch (const std::exception& problem) {
        std::cerr << "child " << words.at(0) << ": " << problem.what() << "\n";
        return 1;
    }
}

}  // namespace holdfast::contract
