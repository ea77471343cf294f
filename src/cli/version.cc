#include "holdfast/version.h"

#include "cli/commands.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

void add_version(Command& program) {
    program.add("version", "Print the program's version", [](Session& session) {
        session.tell(Json{{"version", HOLDFAST_VERSION}}, "holdfast " HOLDFAST_VERSION);
        return ExitCode::Done;
    });
}

}  // namespace holdfast::cli
