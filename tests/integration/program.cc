#include "integration/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <stdexcept>

#include "base/text.h"

namespace holdfast::integration {

namespace {

using Words = std::vector<std::string>;

/// The program with its arguments, behind the commands that put it under the conditions of the test.
Words command_of(const std::string& path, const RunParams& params) {
    Words words;
    if (params.as_nobody && getuid() == 0)
        words = {"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"};
    if (params.max_file_size)
        words.insert(words.end(), {"prlimit", concat("--fsize=", *params.max_file_size, ":", *params.max_file_size)});
    if (params.max_processes) words.insert(words.end(), {"prlimit", concat("--nproc=", *params.max_processes)});
    words.push_back(path);
    words.insert(words.end(), params.arguments.begin(), params.arguments.end());
    return words;
}

Words environment_of(const RunParams& params) {
    const char* search = getenv("PATH");
    Words environment = {concat("PATH=", search == nullptr ? "" : search)};
    for (const auto& [name, value] : params.environment) environment.push_back(concat(name, "=", value));
    return environment;
}

crew::Process start(const std::string& path, const RunParams& params) {
    crew::Process process({.command = command_of(path, params),
                           .environment = environment_of(params),
                           .folder = params.folder,
                           .log = params.output_file,
                           .output = params.output_file.empty() ? crew::Stream::Piped : crew::Stream::Logged,
                           .errors = crew::Stream::Piped,
                           .has_input = true});
    process.write(params.input);
    process.close_input();
    return process;
}

Ran finish(crew::Process& process) {
    auto [out, err] = process.read_to_end();
    return {.exit_code = process.wait(), .out = std::move(out), .err = std::move(err)};
}

Descriptor open_terminal(const RunParams& params) {
    Descriptor terminal(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    winsize size{
        .ws_row = params.terminal_size.first, .ws_col = params.terminal_size.second, .ws_xpixel = 0, .ws_ypixel = 0};
    if (grantpt(terminal.get()) != 0 || unlockpt(terminal.get()) != 0 ||
        ioctl(terminal.get(), TIOCSWINSZ, &size) != 0)
        throw std::runtime_error("cannot open a terminal");
    return terminal;
}

/// A process that leads a session is controlled by the first terminal that it opens.
crew::Process start_on(const Descriptor& terminal, const RunParams& params) {
    Words words = {"sh", "-c", R"(tty=$1; shift; exec "$@" <>"$tty" >&0 2>&0)", "sh", ptsname(terminal.get())};
    for (std::string& word : command_of(program_path(), params)) words.push_back(std::move(word));
    return crew::Process({.command = words, .environment = environment_of(params), .folder = params.folder});
}

}  // namespace

Words Ran::lines() const {
    Words found;
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
    crew::Process process = start(path, params);
    return finish(process);
}

Ran run_on_terminal(const RunParams& params) {
    TerminalProgram program(params);
    const int exit_code = program.finish();
    return {.exit_code = exit_code, .out = program.shown(), .err = {}};
}

RunningProgram::RunningProgram(const RunParams& params) : process_(start(program_path(), params)) {}

RunningProgram::~RunningProgram() {
    if (process_.has_ended()) return;
    process_.send(SIGKILL);
    (void)process_.read_to_end();
}

std::string RunningProgram::read_line() {
    if (auto line = process_.read_line()) return *std::move(line);
    throw std::runtime_error("the program ended without another line");
}

Ran RunningProgram::finish() {
    return integration::finish(process_);
}

TerminalProgram::TerminalProgram(const RunParams& params)
    : terminal_(open_terminal(params)), process_(start_on(terminal_, params)) {}

bool TerminalProgram::read_more() {
    std::array<char, 65536> buffer{};
    const ssize_t got = read(terminal_.get(), buffer.data(), buffer.size());
    if (got > 0) shown_.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
}

bool TerminalProgram::wait_for(const std::string& text) {
    while (shown_.find(text) == std::string::npos)
        if (!read_more()) return false;
    return true;
}

void TerminalProgram::type(const std::string& keys) const {
    if (write(terminal_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
        throw std::runtime_error("cannot type");
}

int TerminalProgram::finish() {
    while (read_more()) {
    }
    return process_.wait();
}

}  // namespace holdfast::integration
