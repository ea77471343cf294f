#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/run.h"
#include "cli/terminal/visible_stream.h"
#include "holdfast/app.h"
#include "holdfast/runner_main.h"
#include "proof/commands.h"

namespace holdfast {

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

/// `bench` runs functions of its own in every program that has the command.
FunctionTable runnable(FunctionTable functions) {
    functions.insert(proof::bench_functions().begin(), proof::bench_functions().end());
    return functions;
}

}  // namespace

int App::main(int argc, char** argv) {
    if (const auto exit_code = runner_main(argc, argv, runnable(functions_))) return *exit_code;
    // A file that may not grow further (ulimit -f) is to be an error with a sentence, like a full disk, and not a
    // death.
    std::signal(SIGXFSZ, SIG_IGN);
    cli::VisibleStream out(std::cout), err(std::cerr);
    cli::Io io{.in = std::cin,
               .out = out,
               .err = err,
               .raw = std::cout,
               .environment = environment_of(environ),
               .terminal = isatty(STDOUT_FILENO) == 1};
    return static_cast<int>(cli::run(argc, argv, io, functions_, {proof::add_demo, proof::add_bench}));
}

}  // namespace holdfast
