#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/jobs/step_tree.h"
#include "cli/terminal/json_shapes.h"
#include "views/schedule.h"

namespace holdfast::cli {

namespace {

using views::ScheduleView;

std::string next_of(const ScheduleView& view) {
    if (!view.problem.empty()) return view.problem;
    if (view.record.paused) return "paused";
    return view.next.empty() ? "never" : format_timestamp(view.next.front());
}

Tone tone_of_next(const ScheduleView& view) {
    if (!view.problem.empty()) return Tone::Bad;
    return view.record.paused ? Tone::Faint : Tone::Plain;
}

std::vector<Cell> row_of(const ScheduleView& view) {
    const auto& last = view.record.last_state;
    return {{view.record.schedule.name},
            {view.problem.empty() ? views::timing_text(view.timing) : ""},
            {view.workflow},
            {next_of(view), tone_of_next(view)},
            {view.record.last_job.is_nil() ? "" : view.record.last_job.to_string()},
            {last ? std::string(to_text(*last)) : "", last ? tone_of(*last) : Tone::Plain}};
}

ExitCode list_schedules(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    const Timestamp now = store->now();
    std::vector<std::vector<Cell>> rows;
    for (const auto& record : store->schedules()) {
        const ScheduleView view = views::view_of(record, now, 1);
        if (session.globals.json)
            session.print(views::to_json_shape(view));
        else
            rows.push_back(row_of(view));
    }
    print_table(session.io, {"NAME", "WHEN", "WORKFLOW", "NEXT", "LAST JOB", "STATE"}, rows);
    if (rows.empty() && session.io.terminal && !session.globals.json) session.io.out << "no schedules\n";
    return ExitCode::Done;
}

}  // namespace

void add_schedules_list(Command& schedules) {
    schedules.add("list", "Schedules, by name", list_schedules);
}

}  // namespace holdfast::cli
