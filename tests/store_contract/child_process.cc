#include "store_contract/child_process.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>

#include "store_contract/child_roles.h"

namespace holdfast::contract {
namespace {

std::vector<std::string> command_line(const ChildProcess::Params& params) {
    std::vector<std::string> words = {crew::own_program, "--child",
                                      params.role,       to_text(params.kind),
                                      params.address,    std::to_string(params.now.time_since_epoch().count())};
    words.insert(words.end(), params.arguments.begin(), params.arguments.end());
    return words;
}

}  // namespace

ChildProcess::ChildProcess(const Params& params)
    : Process({.command = command_line(params), .output = crew::Stream::Piped, .has_input = true}) {}

std::vector<std::string> ChildProcess::read_lines() {
    std::vector<std::string> lines;
    while (auto line = read_line()) lines.push_back(std::move(*line));
    return lines;
}

int ChildProcess::wait() {
    close_input();
    return Process::wait();
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
