#include "worker/capabilities.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>

#include "platform/own_program.h"
#include "platform/run_program.h"

namespace holdfast::worker {

namespace {

void add_tag(std::vector<std::string>& tags, const std::string& tag) {
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
}

/// Starts a program in a process group of its own, with /dev/null as its streams. -1 when it cannot be started.
pid_t start_silently(const std::vector<std::string>& words) {
    const std::vector<char*> arguments = platform::exec_vector(words);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = -1;
    const int fault = posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return fault == 0 ? pid : -1;
}

}  // namespace

bool answers(const std::vector<std::string>& container_command, Duration patience) {
    if (container_command.empty()) return false;
    std::vector<std::string> words = container_command;
    words.insert(words.end(), {"ps", "-q"});
    const pid_t pid = start_silently(words);
    return pid > 0 && platform::status_within(pid, patience) == 0;
}

std::vector<std::string> detect_capabilities(const CapabilityParams& params, const FunctionTable& functions) {
    std::vector<std::string> tags;
    if (params.isolation == Isolation::Process) {
        add_tag(tags, "script");
        if (answers(params.container_command, params.patience)) add_tag(tags, "docker");
    }
    for (const auto& [name, function] : functions) add_tag(tags, "task:" + name);
    for (const std::string& tag : params.tags) add_tag(tags, tag);
    return tags;
}

}  // namespace holdfast::worker
