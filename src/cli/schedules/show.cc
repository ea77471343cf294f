#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/schedules/commands.h"
#include "cli/schedules/schedule_view.h"
#include "cli/terminal/field_printer.h"
#include "core/calendar/schedule_text.h"

namespace holdfast::cli {

namespace {

constexpr int slots_shown = 5;

std::string last_of(const store::ScheduleRecord& record) {
    if (record.last_job.is_nil()) return "";
    return fmt::format("{}{}", record.last_job.to_string(),
                       record.last_state ? fmt::format(" ({})", to_text(*record.last_state)) : "");
}

void print_timing(const FieldPrinter& field, const core::ScheduleTiming& timing) {
    field("when", timing_text(timing));
    field("overlap", std::string(core::to_string(timing.overlap)));
    field("catch up", fmt::format("{} missed", timing.catch_up));
    if (timing.jitter > Duration::zero()) field("jitter", format_duration(timing.jitter));
}

void print_slots(const Io& io, const ScheduleView& view) {
    std::vector<std::vector<Cell>> rows;
    for (const Timestamp slot : view.next)
        rows.push_back({{local_text(view.zone, slot)}, {format_timestamp(slot), Tone::Faint}});
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

ExitCode show(Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    const ScheduleView view = view_of(find_schedule(*store, name), store->now(), slots_shown);
    if (session.globals.json)
        session.io.out << views::dump_line(to_json_shape(view)) << '\n';
    else
        print_schedule(session.io, view);
    return ExitCode::Done;
}

}  // namespace

void add_schedules_show(CLI::App& schedules, Action& chosen) {
    auto name = std::make_shared<std::string>();
    auto* command = schedules.add_subcommand("show", "One schedule, and when it starts its next five jobs");
    command->add_option("NAME", *name, "Its name")->required()->type_name("");
    command->callback([name, &chosen] { chosen = [name](Session& session) { return show(session, *name); }; });
}

}  // namespace holdfast::cli
