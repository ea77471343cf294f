#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/tasks/timeline.h"
#include "cli/workers/worker_view.h"

namespace holdfast::cli {

namespace {

using views::WorkerStory;

std::string machine_text(const store::WorkerSnapshot& snapshot) {
    return fmt::format("{:.0f}% of a processor, {:.0f} MB, machine load {:.2f} (at {})", snapshot.cpu_percent,
                       snapshot.memory_mb, snapshot.load, format_timestamp(snapshot.at));
}

void print_fields(const Io& io, const WorkerStory& story) {
    const store::WorkerRecord& record = story.worker.record;
    const store::WorkerRegistration& registration = record.registration;
    const FieldPrinter field(io);
    field("worker", registration.id.to_string(), Tone::Strong);
    field("name", registration.name);
    field("status", status_text(record));
    const Cell freshness = freshness_cell(story.worker);
    field("beats", fmt::format("{}, the last one {}", freshness.text, beat_text(record)), freshness.tone);
    field("load", load_text(record));
    if (!story.snapshots.empty()) field("machine", machine_text(story.snapshots.front()));
    field("queues", join(registration.queues, ", "));
    field("tags", join(registration.tags, ", "));
    field("version", registration.version);
    field("host", fmt::format("{}, pid {}", registration.host.hostname, registration.host.pid));
    field("registered", format_timestamp(record.registered_at));
}

void print_leases(const Io& io, const std::vector<store::LeaseRecord>& leases) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& lease : leases)
        rows.push_back({{lease.lease.task.to_string()},
                        {lease.name},
                        {lease.started ? "RUNNING" : "CLAIMED", Tone::Busy},
                        {format_timestamp(lease.started_at.value_or(lease.claimed_at))}});
    if (!rows.empty()) io.out << '\n';
    print_table(io, {"TASK", "NAME", "STATE", "SINCE"}, rows);
}

void print_events(const Io& io, const std::vector<store::EventRecord>& events) {
    if (!events.empty()) io.out << '\n';
    for (const auto& event : events) print_entry(io, {event.at, event.message});
}

ExitCode show_worker(Session& session, const std::string& name) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const WorkerStory story =
        views::read_story(*store, resolve_workers(*store, {name}, Likely::Present).front(), config.recovery);
    if (session.globals.json) {
        session.print(views::to_json_shape(story));
        return ExitCode::Done;
    }
    print_fields(session.io, story);
    print_leases(session.io, story.leases);
    print_events(session.io, story.events);
    return ExitCode::Done;
}

}  // namespace

void add_workers_show(Command& workers) {
    auto [command, name] =
        workers.add("show", "One worker: what it is, what it holds, what happened to it", show_worker);
    command.argument("WORKER", name, "Its name, or the beginning of its id");
}

}  // namespace holdfast::cli
