#include "holdfast/version.h"

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/session.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

void add_version(CLI::App& program, Action& chosen) {
    program.add_subcommand("version", "Print the program's version")->callback([&chosen] {
        chosen = [](Session& session) {
            if (session.globals.json)
                session.io.out << Json{{"version", HOLDFAST_VERSION}}.dump() << '\n';
            else
                session.io.out << "holdfast " << HOLDFAST_VERSION << '\n';
            return ExitCode::Done;
        };
    });
}

}  // namespace holdfast::cli
