#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

namespace {

ExitCode migrate(Session& session) {
    const auto store = session.open_store_itself(session.load_config(), Access::CreateAndMigrate);
    const int version = store->migrate().to;
    session.tell(Json{{"store", store->describe()}, {"schema_version", version}},
                 fmt::format("{} is at schema version {}", store->describe(), version));
    return ExitCode::Done;
}

}  // namespace

void add_migrate(Command& program) {
    program.add("migrate", "Create the store's schema, or bring it up to date", migrate);
}

}  // namespace holdfast::cli
