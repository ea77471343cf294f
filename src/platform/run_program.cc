#include "platform/run_program.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "base/descriptor.h"
#include "base/text.h"
#include "platform/launch.h"
#include "platform/own_program.h"
#include "platform/service_loop.h"
#include "platform/sockets.h"

namespace holdfast::platform {

namespace {

constexpr std::size_t most_output = 1024 * 1024;

/// True when it has ended; false when the time is up.
bool read_to_end(int descriptor, Duration deadline, std::string& text) {
    std::array<char, 4096> buffer;
    while (true) {
        const Duration left = deadline - machine_time();
        if (left <= Duration::zero()) return false;
        pollfd readable{descriptor, POLLIN, 0};
        if (poll(&readable, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count())) <= 0)
            continue;
        const ssize_t got = read(descriptor, buffer.data(), buffer.size());
        if (got <= 0) return true;
        if (text.size() < most_output) text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return name;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (std::string file = concat(folder, "/", name); access(file.c_str(), X_OK) == 0) return file;
    return {};
}

std::optional<ProgramEnd> run_program(const std::vector<std::string>& words, Duration patience) {
    const Duration deadline = machine_time() + patience;
    auto [output, writing] = pipe_pair();
    LaunchParams params;
    params.file = find_program(words.front());
    params.arguments = words;
    params.environment = environment_with({});
    params.directory = "/";
    params.output = writing.get();
    const auto pid = launch(params);
    writing.close();
    if (!pid) return std::nullopt;
    ProgramEnd end;
    const bool in_time = read_to_end(output.get(), deadline, end.output);
    const auto status = status_within(*pid, std::max(deadline - machine_time(), Duration::zero()));
    if (!in_time || !status) return std::nullopt;
    end.status = *status;
    return end;
}

std::optional<int> status_within(pid_t child, Duration patience) {
    const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    pollfd ended{handle.get(), POLLIN, 0};
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
    const bool in_time = !handle || poll(&ended, 1, static_cast<int>(milliseconds)) == 1;
    if (!in_time) kill(-child, SIGKILL);
    int status = 0;
    pid_t reaped = 0;
    while ((reaped = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    if (!in_time || reaped < 0) return std::nullopt;
    return status;
}

}  // namespace holdfast::platform
