#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/worker_ids.h"
#include "cli/worker_view.h"
#include "cli/workers_commands.h"

namespace holdfast::cli {

namespace {

using wire::WorkerStory;

void print_field(const Io& io, std::string_view label, const std::string& value, Tone tone = Tone::Plain) {
    if (!value.empty())
        io.out << paint(io, Tone::Faint, fmt::format("{:<12}", label)) << paint(io, tone, value) << '\n';
}

std::string machine_text(const store::WorkerSnapshot& snapshot) {
    return fmt::format("{:.0f}% of a processor, {:.0f} MB, machine load {:.2f} (at {})", snapshot.cpu_percent,
                       snapshot.memory_mb, snapshot.load, format_timestamp(snapshot.at));
}

void print_fields(const Io& io, const WorkerStory& story) {
    const store::WorkerRecord& record = story.worker.record;
    const store::WorkerRegistration& registration = record.registration;
    print_field(io, "worker", registration.id.to_string(), Tone::Strong);
    print_field(io, "name", registration.name);
    print_field(io, "status", status_text(record));
    const Cell freshness = freshness_cell(story.worker);
    print_field(io, "beats", fmt::format("{}, the last one {}", freshness.text, beat_text(record)), freshness.tone);
    print_field(io, "load", load_text(record));
    if (!story.snapshots.empty()) print_field(io, "machine", machine_text(story.snapshots.front()));
    print_field(io, "queues", join(registration.queues, ", "));
    print_field(io, "tags", join(registration.tags, ", "));
    print_field(io, "version", registration.version);
    print_field(io, "host", fmt::format("{}, pid {}", registration.host.hostname, registration.host.pid));
    print_field(io, "registered", format_timestamp(record.registered_at));
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
    for (const auto& event : events)
        io.out << paint(io, Tone::Faint, fmt::format("{:<28}", format_timestamp(event.at))) << event.message << '\n';
}

ExitCode show(Session& session, const std::string& name) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const WorkerStory story =
        wire::read_story(*store, resolve_workers(*store, {name}, Likely::Present).front(), config.recovery);
    if (session.globals.json) {
        session.io.out << wire::to_json_shape(story).dump() << '\n';
        return ExitCode::Done;
    }
    print_fields(session.io, story);
    print_leases(session.io, story.leases);
    print_events(session.io, story.events);
    return ExitCode::Done;
}

}  // namespace

void add_workers_show(CLI::App& workers, Action& chosen) {
    auto name = std::make_shared<std::string>();
    auto* command = workers.add_subcommand("show", "One worker: what it is, what it holds, what happened to it");
    command->add_option("WORKER", *name, "Its name, or the beginning of its id")->required()->type_name("");
    command->callback([name, &chosen] { chosen = [name](Session& session) { return show(session, *name); }; });
}

}  // namespace holdfast::cli
