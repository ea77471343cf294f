#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/tasks/timeline.h"
#include "platform/service_loop.h"
#include "platform/system_random.h"
#include "server/process/container_settings.h"
#include "server/remote/server_link.h"
#include "views/recovery.h"
#include "worker/sweep_thread.h"

namespace holdfast::cli {

namespace {

/// The counts of recovery actions by name: "workers lost 1, requeued 2"; "nothing" when all counts are zero.
std::string counts_text(const Json& counts) {
    std::string text;
    for (const auto& [what, count] : counts.items())
        if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, count.dump());
    std::replace(text.begin(), text.end(), '_', ' ');
    return text.empty() ? "nothing" : text;
}

void print_services(const Io& io, const views::RecoveryStatus& status) {
    std::vector<Row> rows;
    for (const auto& note : status.notes)
        rows.push_back({{note.service},
                        {rough_duration(status.now - note.at) + " ago"},
                        {note.who},
                        note.failure.empty() ? Cell{counts_text(views::value_of(note.did))}
                                             : Cell{"failed: " + note.failure, Tone::Bad}});
    if (!rows.empty()) io.out << '\n';
    print_table(io, {"SERVICE", "LAST NOTE", "BY", "HAS DONE"}, rows);
}

/// For a worker without a row, only the id is known.
std::string title_of(const store::WorkerLiveness& worker) {
    if (worker.name.empty()) return worker.id.to_string();
    return fmt::format("{} ({}) on {}", worker.name, worker.id.to_string(), worker.host.hostname);
}

void print_workers(const Io& io, const views::RecoveryStatus& status) {
    std::vector<std::string> parts;
    for (const auto& [word, count] : views::count_by_evidence(status))
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

void print_events(const Io& io, const std::vector<views::RecoveryEvent>& events) {
    if (!events.empty()) io.out << "\nlast recoveries:\n";
    for (const auto& event : events)
        print_entry(io, {event.at, fmt::format("{}{}: {}", event.kind,
                                               event.task.is_nil() ? "" : fmt::format(" {}", event.task.to_string()),
                                               event.message)});
}

void print_status(const Io& io, const views::RecoveryStatus& status) {
    if (status.holder.empty())
        io.out << paint(io, Tone::Bad, "no process sweeps: start 'holdfast worker' without --no-sweep") << '\n';
    else
        io.out << fmt::format("sweeper: {}\n", visible_line(status.holder));
    print_workers(io, status);
    print_services(io, status);
    print_events(io, status.events);
}

views::RecoveryStatus read_status(const Session& session) {
    if (const auto server = session.server()) return remote::recovery_status(*server);
    const config::Config config = session.load_config();
    const auto store = session.open_store_itself(config, Access::AsItIs);
    const auto host = worker::host_watch_for(config.store.url, server::container_tool(config.worker));
    return views::read_recovery_status(*store, *host, session.who());
}

ExitCode show_status(Session& session) {
    return session.show(read_status(session), print_status);
}

// ---- One pass -------------------------------------------------------------------------------------

void print_sweep(const Io& io, const engine::SweepReport& report) {
    std::vector<Row> rows;
    for (const auto& pass : report.passes)
        rows.push_back({{pass.service},
                        pass.failure.empty() ? Cell{counts_text(views::counts_shape(pass.report))}
                                             : Cell{"failed: " + pass.failure, Tone::Bad}});
    print_table(io, {"SERVICE", "DID"}, rows);
    for (const auto& pass : report.passes)
        for (const std::string& remark : pass.report.remarks) io.out << visible_line(remark) << '\n';
    io.out << "A single pass has no time to observe: it acts on certain evidence, deadlines and retention only. "
              "Silent workers are judged by 'holdfast worker', which watches them.\n";
}

engine::SweepReport run_sweep(const Session& session) {
    if (const auto server = session.server()) return remote::sweep(*server);
    const config::Config config = session.load_config();
    const auto store = session.open_store_itself(config, Access::AsItIs);
    const auto host = worker::host_watch_for(config.store.url, server::container_tool(config.worker));
    platform::SystemRandom random;
    engine::Sweeper sweeper(*store, *host, random, session.who(), views::sweep_settings(config),
                            platform::machine_time);
    return sweeper.run_all(platform::machine_time());
}

ExitCode sweep(Session& session) {
    const engine::SweepReport report = run_sweep(session);
    bool has_failed = false;
    for (const auto& pass : report.passes) {
        has_failed = has_failed || !pass.failure.empty();
        if (session.globals.json) session.print(views::to_json_shape(pass));
    }
    if (!session.globals.json) print_sweep(session.io, report);
    return has_failed ? ExitCode::Failed : ExitCode::Done;
}

}  // namespace

void add_recovery_status(Command& recovery) {
    recovery.add("status", "Who sweeps, what recovery did, which workers it doubts", show_status);
}

void add_recovery_sweep(Command& recovery) {
    recovery.add("sweep", "One pass of every recovery service, now", sweep);
}

}  // namespace holdfast::cli
