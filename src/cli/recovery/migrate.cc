#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/session.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

namespace {

ExitCode migrate(Session& session) {
    const auto store = session.open_store(Access::CreateAndMigrate);
    const int version = store->migrate().to;
    if (session.globals.json)
        session.io.out << Json{{"store", store->describe()}, {"schema_version", version}}.dump() << '\n';
    else
        session.io.out << fmt::format("{} is at schema version {}\n", store->describe(), version);
    return ExitCode::Done;
}

}  // namespace

void add_migrate(CLI::App& program, Action& chosen) {
    program.add_subcommand("migrate", "Create the store's schema, or bring it up to date")->callback([&chosen] {
        chosen = migrate;
    });
}

}  // namespace holdfast::cli
