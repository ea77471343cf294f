#include "store_contract/spawned_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <system_error>

namespace holdfast::contract {
namespace {

pid_t spawn(std::vector<std::string> command, int output) {
    std::vector<char*> words;
    for (auto& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t pid = fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid == 0) {
        if (output >= 0) dup2(output, STDOUT_FILENO);
        execvp(words[0], words.data());
        _exit(127);
    }
    return pid;
}

}  // namespace

SpawnedProgram::SpawnedProgram(const std::vector<std::string>& command) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    pid_ = spawn(command, ends[1]);
    close(ends[1]);
    output_ = ends[0];
}

SpawnedProgram::~SpawnedProgram() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    close(output_);
}

std::string SpawnedProgram::read_line() {
    std::string line;
    char next = 0;
    while (read(output_, &next, 1) == 1 && next != '\n') line += next;
    return line;
}

int run_program(const std::vector<std::string>& command) {
    int status = 0;
    waitpid(spawn(command, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> as_database_user(std::vector<std::string> command) {
    if (geteuid() != 0) return command;
    std::vector<std::string> words = {"setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

}  // namespace holdfast::contract
