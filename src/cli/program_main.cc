#include "cli/program_main.h"

#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/run.h"
#include "cli/terminal/visible_stream.h"
#include "holdfast/app.h"
#include "holdfast/runner_main.h"

namespace holdfast::cli {

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

int program_main(int argc, char** argv, const FunctionTable& functions, ProgramExtras extras) {
    extras.functions.insert(functions.begin(), functions.end());
    if (const auto exit_code = runner_main(argc, argv, extras.functions)) return *exit_code;
    // A file that may not grow further (ulimit -f) is reported like a full disk, instead of killing the program.
    std::signal(SIGXFSZ, SIG_IGN);
    VisibleStream out(std::cout), err(std::cerr);
    Io io{.in = std::cin,
          .out = out,
          .err = err,
          .raw = std::cout,
          .environment = environment_of(environ),
          .terminal = isatty(STDOUT_FILENO) == 1};
    return static_cast<int>(run(argc, argv, io, functions, extras.commands));
}

}  // namespace holdfast::cli

namespace holdfast {

int App::main(int argc, char** argv) {
    return cli::program_main(argc, argv, functions_);
}

}  // namespace holdfast
