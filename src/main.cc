#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/run.h"

namespace {

std::map<std::string, std::string> environment_of(char** variables) {
    std::map<std::string, std::string> environment;
    for (; *variables != nullptr; ++variables) {
        const std::string_view entry = *variables;
        const auto equals = entry.find('=');
        if (equals != std::string_view::npos) environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return environment;
}

}  // namespace

int main(int argc, char** argv) {
    // A file that may not grow further (ulimit -f) is to be an error with a sentence, like a full disk, and not a
    // death.
    std::signal(SIGXFSZ, SIG_IGN);
    holdfast::cli::Io io{.in = std::cin,
                         .out = std::cout,
                         .err = std::cerr,
                         .environment = environment_of(environ),
                         .terminal = isatty(STDOUT_FILENO) == 1};
    return static_cast<int>(holdfast::cli::run(argc, argv, io));
}
