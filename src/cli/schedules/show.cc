#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/terminal/json_shapes.h"
#include "core/calendar/schedule_text.h"
#include "views/schedule.h"

namespace holdfast::cli {

namespace {

using views::ScheduleView;

constexpr int slots_shown = 5;

std::string last_of(const store::ScheduleRecord& record) {
    if (record.last_job.is_nil()) return "";
    return fmt::format("{}{}", record.last_job.to_string(),
                       record.last_state ? fmt::format(" ({})", to_text(*record.last_state)) : "");
}

void print_timing(const FieldPrinter& field, const core::ScheduleTiming& timing) {
    field("when", views::timing_text(timing));
    field("overlap", std::string(word_of(timing.overlap)));
    field("catch up", fmt::format("{} missed", timing.catch_up));
    if (timing.jitter > Duration::zero()) field("jitter", format_duration(timing.jitter));
}

void print_slots(const Io& io, const ScheduleView& view) {
    std::vector<std::vector<Cell>> rows;
    for (const Timestamp slot : view.next)
        rows.push_back({{views::local_text(view.zone, slot)}, {format_timestamp(slot), Tone::Faint}});
    io.out << '\n';
    print_table(io, {fmt::format("NEXT, IN {}", view.timing.zone), "IN UTC"}, rows);
}

void print_schedule(const Io& io, const ScheduleView& view) {
    const store::ScheduleRecord& record = view.record;
    const FieldPrinter field(io);
    field("schedule", record.schedule.name, Tone::Strong);
    field("status", record.paused ? "paused: it starts no jobs" : "active");
    field("problem", view.problem, Tone::Bad);
    if (view.problem.empty()) print_timing(field, view.timing);
    field("workflow", view.workflow);
    field("input", record.schedule.input);
    field("created", format_timestamp(record.created_at));
    field("last job", last_of(record));
    if (!view.next.empty()) print_slots(io, view);
}

ExitCode show_schedule(Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    const ScheduleView view = views::view_of(find_schedule(*store, name), store->now(), slots_shown);
    if (session.globals.json)
        session.print(views::to_json_shape(view));
    else
        print_schedule(session.io, view);
    return ExitCode::Done;
}

}  // namespace

void add_schedules_show(Command& schedules) {
    auto [command, name] =
        schedules.add("show", "One schedule, and when it starts its next five jobs", show_schedule);
    command.argument("NAME", name, "Its name");
}

}  // namespace holdfast::cli
