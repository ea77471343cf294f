#include "cli/steering.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/json_shapes.h"

namespace holdfast::cli {

ExitCode report_steered(const Session& session, const std::vector<Steered>& tasks) {
    ExitCode worst = ExitCode::Done;
    for (const Steered& task : tasks) {
        const std::string id = task.id.to_string();
        if (session.globals.json) session.io.out << Json{{"id", id}, {"status", task.status}}.dump() << '\n';
        if (task.code != ExitCode::Done)
            session.io.err << fmt::format("holdfast: task {} {}\n", id, task.sentence);
        else if (!session.globals.json)
            session.io.out << fmt::format("task {} {}\n", id, task.sentence);
        worst = std::max(worst, task.code);
    }
    return worst;
}

}  // namespace holdfast::cli
