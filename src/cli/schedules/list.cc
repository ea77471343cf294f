#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/jobs/step_tree.h"
#include "cli/schedules/commands.h"
#include "cli/schedules/schedule_view.h"

namespace holdfast::cli {

namespace {

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
            {view.problem.empty() ? timing_text(view.timing) : ""},
            {view.workflow},
            {next_of(view), tone_of_next(view)},
            {view.record.last_job.is_nil() ? "" : view.record.last_job.to_string()},
            {last ? std::string(to_text(*last)) : "", last ? tone_of(*last) : Tone::Plain}};
}

ExitCode list(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    const Timestamp now = store->now();
    std::vector<std::vector<Cell>> rows;
    for (const auto& record : store->schedules()) {
        const ScheduleView view = view_of(record, now, 1);
        if (session.globals.json)
            session.io.out << views::dump_line(to_json_shape(view)) << '\n';
        else
            rows.push_back(row_of(view));
    }
    print_table(session.io, {"NAME", "WHEN", "WORKFLOW", "NEXT", "LAST JOB", "STATE"}, rows);
    if (rows.empty() && session.io.terminal && !session.globals.json) session.io.out << "no schedules\n";
    return ExitCode::Done;
}

}  // namespace

void add_schedules_list(CLI::App& schedules, Action& chosen) {
    auto* command = schedules.add_subcommand("list", "Schedules, by name");
    command->callback([&chosen] { chosen = list; });
}

}  // namespace holdfast::cli
