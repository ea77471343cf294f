#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/worker_ids.h"
#include "cli/worker_view.h"
#include "cli/workers_commands.h"

namespace holdfast::cli {

namespace {

constexpr std::size_t events_shown = 20;
constexpr std::size_t leases_shown = 1000;

/// All that is known about one worker, read at one time.
struct WorkerStory {
    WorkerView worker;
    std::vector<store::LeaseRecord> leases;
    std::vector<store::WorkerSnapshot> snapshots;  // the newest, if any
    std::vector<store::EventRecord> events;
};

// The newest ones, oldest of them first.
std::vector<store::EventRecord> last_events(store::Store& store, const Uuid& worker) {
    std::vector<store::EventRecord> events;
    for (std::int64_t after = 0;;) {
        const auto page = store.events({.task = {}, .worker = worker, .after_id = after, .limit = 100});
        events.insert(events.end(), page.begin(), page.end());
        if (events.size() > events_shown)
            events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(events_shown));
        if (page.size() < 100) return events;
        after = page.back().id;
    }
}

WorkerStory read_story(store::Store& store, const std::string& name, const config::RecoveryConfig& recovery) {
    WorkerStory story;
    story.worker = view_of(resolve_workers(store, {name}, Likely::Present).front(), recovery);
    const Uuid& id = story.worker.record.registration.id;
    story.leases = store.leases({.worker = id, .after = {}, .limit = leases_shown});
    story.snapshots = store.worker_snapshots(id, 1);
    story.events = last_events(store, id);
    return story;
}

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

Json to_json_shape(const WorkerStory& story) {
    Json tasks = Json::array();
    for (const auto& lease : story.leases)
        tasks.push_back({{"id", lease.lease.task.to_string()},
                         {"name", lease.name},
                         {"state", lease.started ? "RUNNING" : "CLAIMED"},
                         {"lease", lease.lease.lease}});
    Json events = Json::array();
    for (const auto& event : story.events) events.push_back(cli::to_json_shape(event));
    return {{"worker", cli::to_json_shape(story.worker)},
            {"tasks", tasks},
            {"machine", story.snapshots.empty() ? Json() : cli::to_json_shape(story.snapshots.front())},
            {"events", events}};
}

ExitCode show(Session& session, const std::string& name) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const WorkerStory story = read_story(*store, name, config.recovery);
    if (session.globals.json) {
        session.io.out << to_json_shape(story).dump() << '\n';
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
