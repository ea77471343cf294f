#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "base/visible_text.h"
#include "cli/recovery/commands.h"
#include "cli/recovery/recovery_counts.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/json_shapes.h"
#include "server/api/sweep_settings.h"
#include "server/remote/remote_recovery.h"
#include "views/recovery_view.h"
#include "worker/sweep_thread.h"

namespace holdfast::cli {

namespace {

void print_services(const Io& io, const views::RecoveryStatus& status) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& note : status.notes)
        rows.push_back({{note.service},
                        {rough_duration(status.now - note.at) + " ago"},
                        {note.who},
                        note.failure.empty() ? Cell{counts_text(views::value_of(note.did))}
                                             : Cell{"failed: " + note.failure, Tone::Bad}});
    if (!rows.empty()) io.out << '\n';
    print_table(io, {"SERVICE", "LAST NOTE", "BY", "HAS DONE"}, rows);
}

/// Of a worker without a row only the id is known.
std::string title_of(const store::WorkerLiveness& worker) {
    if (worker.name.empty()) return worker.id.to_string();
    return fmt::format("{} ({}) on {}", worker.name, worker.id.to_string(), worker.host.hostname);
}

void print_workers(const Io& io, const views::RecoveryStatus& status) {
    std::vector<std::string> parts;
    for (const auto& [word, count] : views::count_by_evidence(status.workers))
        if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
    io.out << fmt::format("workers: {}\n", parts.empty() ? "none" : join(parts, ", "));
    for (const views::SeenWorker& seen : status.workers)
        if (seen.evidence != core::Evidence::None)
            io.out << "  "
                   << paint(io, Tone::Bad,
                            visible_line(fmt::format("{}: {}: {}", title_of(seen.worker),
                                                     views::word_for(seen.evidence), seen.how)))
                   << '\n';
}

void print_events(const Io& io, const std::vector<store::EventRecord>& events) {
    if (!events.empty()) io.out << "\nlast recoveries:\n";
    for (const auto& event : events)
        print_entry(io, {event.at, fmt::format("{}{}: {}", event.kind,
                                               event.task.is_nil() ? "" : fmt::format(" {}", event.task.to_string()),
                                               event.message)});
}

void print(const Io& io, const views::RecoveryStatus& status) {
    if (status.holder.empty())
        io.out << paint(io, Tone::Bad, "nobody sweeps: 'holdfast worker' does, unless it is told --no-sweep") << '\n';
    else
        io.out << fmt::format("sweeper: {}\n", visible_line(status.holder));
    print_workers(io, status);
    print_services(io, status);
    print_events(io, status.events);
}

views::RecoveryStatus read_status(const Session& session) {
    if (const auto server = session.server()) return remote::recovery_status(*server);
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const auto host = worker::host_watch_for(config.store.url, api::container_tool(config.worker));
    return views::read_recovery_status(*store, *host, session.who());
}

ExitCode show(Session& session) {
    const views::RecoveryStatus status = read_status(session);
    if (session.globals.json)
        session.io.out << views::dump_line(views::to_json_shape(status)) << '\n';
    else
        print(session.io, status);
    return ExitCode::Done;
}

}  // namespace

void add_recovery_status(CLI::App& recovery, Action& chosen) {
    recovery.add_subcommand("status", "Who sweeps, what recovery did, which workers it doubts")->callback([&chosen] {
        chosen = show;
    });
}

}  // namespace holdfast::cli
