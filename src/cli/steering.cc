#include "cli/steering.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

ExitCode report_steered(const Session& session, std::string_view kind, const std::vector<Steered>& steered) {
    ExitCode worst = ExitCode::Done;
    for (const Steered& one : steered) {
        const std::string id = one.id.to_string();
        if (session.globals.json) session.print(Json{{"id", id}, {"status", one.status}});
        if (one.code != ExitCode::Done)
            session.io.err << fmt::format("holdfast: {} {} {}\n", kind, id, one.sentence);
        else if (!session.globals.json)
            session.io.out << fmt::format("{} {} {}\n", kind, id, one.sentence);
        worst = std::max(worst, one.code);
    }
    return worst;
}

}  // namespace holdfast::cli
