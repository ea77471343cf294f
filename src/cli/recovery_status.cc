#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <ostream>
#include <set>

#include "base/text.h"
#include "cli/json_shapes.h"
#include "cli/recovery_commands.h"
#include "cli/recovery_counts.h"
#include "cli/sweep_settings.h"
#include "cli/timeline.h"
#include "engine/observer.h"
#include "worker/sweep_thread.h"

namespace holdfast::cli {

namespace {

constexpr std::size_t events_searched = 1000;
constexpr std::size_t events_shown = 10;

/// What one look says about a worker.
struct SeenWorker {
    store::WorkerLiveness worker;
    core::Evidence evidence = core::Evidence::None;
    std::string how;
};

struct RecoveryStatus {
    std::string holder;  ///< empty: nobody
    std::vector<store::SweepNote> notes;
    std::vector<SeenWorker> workers;
    std::vector<store::EventRecord> events;  ///< newest first
    Timestamp now;
};

std::map<Uuid, Duration> silence_of_workers(store::Store& store) {
    std::map<Uuid, Duration> silences;
    for (const auto& worker : store.workers()) silences[worker.registration.id] = worker.seconds_ago;
    return silences;
}

/// One look has no time to observe: silence is by the store's clock, for people.
std::vector<SeenWorker> look(store::Store& store, engine::HostWatch& host) {
    const auto silences = silence_of_workers(store);
    std::vector<SeenWorker> seen;
    for (const store::WorkerLiveness& worker : store.look().workers) {
        const engine::Sight sight = host.look_at(worker);
        const auto silence = silences.find(worker.id);
        const bool is_silent = silence != silences.end() && silence->second > 2 * worker.beat_interval;
        if (core::is_certain(sight.evidence))
            seen.push_back({worker, sight.evidence, sight.how});
        else if (worker.proves_session && !worker.session_held)
            seen.push_back({worker, core::Evidence::Disconnected, "its session is gone"});
        else if (is_silent)
            seen.push_back({worker, core::Evidence::Silent, "last beat " + rough_duration(silence->second) + " ago"});
        else
            seen.push_back({worker, core::Evidence::None, "beats"});
    }
    return seen;
}

std::vector<store::EventRecord> last_recoveries(store::Store& store) {
    static const std::set<std::string> kinds = {"worker_lost",         "worker_reactivated", "requeued", "failed",
                                                "late_result_refused", "stop_requested",     "expired",  "rejected"};
    std::vector<store::EventRecord> found;
    for (auto& event : store.last_events(events_searched))
        if (kinds.contains(event.kind) && found.size() < events_shown) found.push_back(std::move(event));
    return found;
}

RecoveryStatus read_status(store::Store& store, engine::HostWatch& host, const std::string& who) {
    return {.holder = store.sweep_lease(who, Duration::zero()).holder,
            .notes = store.sweep_notes(),
            .workers = look(store, host),
            .events = last_recoveries(store),
            .now = store.now()};
}

std::string word_for(core::Evidence evidence) {
    return evidence == core::Evidence::None ? "alive" : std::string(core::to_text(evidence));
}

std::map<std::string, int> count_by_evidence(const std::vector<SeenWorker>& workers) {
    std::map<std::string, int> counts;
    for (const core::Evidence evidence : {core::Evidence::None, core::Evidence::Silent, core::Evidence::Disconnected,
                                          core::Evidence::Rebooted, core::Evidence::Exited})
        counts[word_for(evidence)] = 0;
    for (const SeenWorker& worker : workers) ++counts[word_for(worker.evidence)];
    return counts;
}

// ---- For people
// ----------------------------------------------------------------------------------------------------

void print_services(const Io& io, const RecoveryStatus& status) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& note : status.notes)
        rows.push_back({{note.service},
                        {rough_duration(status.now - note.at) + " ago"},
                        {note.who},
                        note.failure.empty() ? Cell{counts_text(embedded(note.did))}
                                             : Cell{"failed: " + note.failure, Tone::Bad}});
    if (!rows.empty()) io.out << '\n';
    print_table(io, {"SERVICE", "LAST NOTE", "BY", "HAS DONE"}, rows);
}

void print_workers(const Io& io, const RecoveryStatus& status) {
    std::vector<std::string> parts;
    for (const auto& [word, count] : count_by_evidence(status.workers))
        if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
    io.out << fmt::format("workers: {}\n", parts.empty() ? "none" : join(parts, ", "));
    for (const SeenWorker& seen : status.workers)
        if (seen.evidence != core::Evidence::None)
            io.out << "  "
                   << paint(io, Tone::Bad,
                            fmt::format("{} ({}) on {}: {}: {}", seen.worker.name, seen.worker.id.to_string(),
                                        seen.worker.host.hostname, word_for(seen.evidence), seen.how))
                   << '\n';
}

void print_events(const Io& io, const std::vector<store::EventRecord>& events) {
    if (!events.empty()) io.out << "\nlast recoveries:\n";
    for (const auto& event : events)
        io.out << paint(io, Tone::Faint, fmt::format("{:<28}", format_timestamp(event.at)))
               << fmt::format("{}{}: {}\n", event.kind,
                              event.task.is_nil() ? "" : fmt::format(" {}", event.task.to_string()), event.message);
}

void print(const Io& io, const RecoveryStatus& status) {
    if (status.holder.empty())
        io.out << paint(io, Tone::Bad, "nobody sweeps: 'holdfast worker' does, unless it is told --no-sweep") << '\n';
    else
        io.out << fmt::format("sweeper: {}\n", status.holder);
    print_workers(io, status);
    print_services(io, status);
    print_events(io, status.events);
}

// ---- As JSON
// -------------------------------------------------------------------------------------------------------

Json to_json_shape(const RecoveryStatus& status) {
    Json services = Json::array(), workers = Json::array(), events = Json::array();
    for (const auto& note : status.notes)
        services.push_back({{"service", note.service},
                            {"who", note.who},
                            {"at", format_timestamp(note.at)},
                            {"did", embedded(note.did)},
                            {"failure", note.failure.empty() ? Json() : Json(note.failure)}});
    for (const SeenWorker& seen : status.workers)
        workers.push_back({{"id", seen.worker.id.to_string()},
                           {"name", seen.worker.name},
                           {"host", seen.worker.host.hostname},
                           {"evidence", word_for(seen.evidence)},
                           {"how", seen.how}});
    for (const auto& event : status.events) {
        Json shape = cli::to_json_shape(event);
        shape["task"] = event.task.is_nil() ? Json() : Json(event.task.to_string());
        events.push_back(std::move(shape));
    }
    return {{"sweeper", status.holder.empty() ? Json() : Json(status.holder)},
            {"services", services},
            {"by_evidence", count_by_evidence(status.workers)},
            {"workers", workers},
            {"events", events}};
}

ExitCode show(Session& session) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const auto host = worker::host_watch_for(config.store.url, container_tool(config.worker));
    const RecoveryStatus status = read_status(*store, *host, session.who());
    if (session.globals.json)
        session.io.out << to_json_shape(status).dump() << '\n';
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
