#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/words.h"
#include "engine/recovery/manual_recovery.h"
#include "platform/service_loop.h"
#include "platform/system_random.h"
#include "server/process/container_settings.h"
#include "server/remote/server_link.h"
#include "views/audit.h"
#include "views/recovery.h"
#include "views/worker.h"
#include "worker/sweep_thread.h"

namespace holdfast::cli {

namespace {

// ---- Status ---------------------------------------------------------------------------------------

/// The counts of recovery actions by name: "workers lost 1, requeued 2"; "nothing" when all counts are zero.
Cell outcome_cell(const std::string& failure, const Json& counts) {
    if (!failure.empty()) return {"failed: " + failure, Tone::Bad};
    std::string text;
    for (const auto& [what, count] : counts.items())
        if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, count.dump());
    std::ranges::replace(text, '_', ' ');
    return {text.empty() ? "nothing" : text};
}

void print_services(const Io& io, const views::RecoveryStatus& status) {
    std::vector<Row> rows;
    for (const auto& note : status.notes)
        rows.push_back({{note.service},
                        {rough_duration(status.now - note.at) + " ago"},
                        {note.who},
                        outcome_cell(note.failure, views::value_of(note.did))});
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

// ---- Stale tasks ----------------------------------------------------------------------------------

Row stale_row(const engine::StaleTask& stale) {
    return {id_cell(stale.lease.lease.task),
            {stale.lease.name},
            state_cell(to_text(views::state_of(stale.lease))),
            {rough_duration(stale.quiet_for)},
            stale.worker_name.empty() ? id_cell(stale.lease.worker) : Cell{stale.worker_name},
            stale.worker_is_alive ? Cell{"beats", Tone::Good} : Cell{"silent", Tone::Bad},
            {stale.hostname.empty() ? "-" : stale.hostname}};
}

std::vector<engine::StaleTask> find_stale(const Session& session, const std::optional<Duration>& threshold) {
    if (const auto server = session.server()) return remote::stale_tasks(*server, threshold);
    const config::Config config = session.load_config();
    const auto store = session.open_store_itself(config, Access::AsItIs);
    return views::find_stale(*store, config.recovery, threshold);
}

ExitCode list_stale(Session& session, const std::string& threshold) {
    const auto found = find_stale(session, read_duration_if_given("--threshold", threshold));
    using enum Column::Room;
    session.list(
        {"TASK", {"NAME", Shortened}, "STATE", "QUIET FOR", {"WORKER", Shortened}, "WORKER IS", {"HOST", Shortened}},
        found, stale_row);
    if (found.empty() && !session.globals.json) session.io.out << "no task is stale\n";
    return ExitCode::Done;
}

struct Settling {
    const char* word;
    const char* help;
    const char* key;  // the key with the default value
    Duration config::RecoveryConfig::*threshold;
    engine::ManualAnswer (*settle)(store::RecoveryStore&, Random&, const engine::ManualParams&);
    const char* done;
};
constexpr Settling settlings[] = {
    {"fail-running", "End stale RUNNING tasks as crashed, each by its policy", "recovery.running_stale_threshold_ms",
     &config::RecoveryConfig::running_stale_threshold, engine::fail_stale_running, "ended as crashed"},
    {"requeue-claimed", "Send stale CLAIMED tasks back to PENDING", "recovery.claimed_stale_threshold_ms",
     &config::RecoveryConfig::claimed_stale_threshold, engine::requeue_stale_claimed, "requeued"},
};

engine::ManualAnswer settled(const Session& session, const Settling& settling,
                             const std::optional<Duration>& threshold) {
    if (const auto server = session.server()) return remote::settle(*server, settling.word, threshold);
    const config::Config config = session.load_config();
    const auto store = session.open_store_itself(config, Access::AsItIs);
    platform::SystemRandom random;
    return settling.settle(
        *store, random, {.threshold = threshold.value_or(config.recovery.*settling.threshold), .who = session.who()});
}

ExitCode settle(Session& session, const Settling& settling, const std::string& threshold) {
    const auto given = read_duration_if_given("--threshold", threshold);
    return session.show(settled(session, settling, given), [&](const Io& io, const engine::ManualAnswer& answer) {
        io.out << fmt::format("{} {}\n", answer.settled, settling.done);
        if (answer.asked > 0)
            io.out << fmt::format(
                "{} asked to stop: their workers may live, and confirm; look again with 'holdfast recovery stale'\n",
                answer.asked);
    });
}

// ---- One pass -------------------------------------------------------------------------------------

void print_sweep(const Io& io, const engine::SweepReport& report) {
    std::vector<Row> rows;
    for (const auto& pass : report.passes)
        rows.push_back({{pass.service}, outcome_cell(pass.failure, views::counts_shape(pass.report))});
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
    const engine::SweepReport report = sweeper.run_all(platform::machine_time());
    store->append_event(views::order_event("swept", session.who(), views::swept_message, Json()));
    return report;
}

ExitCode sweep(Session& session) {
    const engine::SweepReport report = run_sweep(session);
    if (session.globals.json)
        for (const auto& pass : report.passes) session.print(to_json_shape(pass));
    else
        print_sweep(session.io, report);
    const bool has_failed =
        std::ranges::any_of(report.passes, [](const auto& pass) { return !pass.failure.empty(); });
    return has_failed ? ExitCode::Failed : ExitCode::Done;
}

// ---- Retention ------------------------------------------------------------------------------------

void print_pruned(const Io& io, const store::PruneAnswer& pruned, const config::RetentionConfig& retention,
                  bool dry_run) {
    const auto line = [&](std::int64_t count, const char* what, const std::optional<Duration>& kept) {
        const std::string number = dry_run && count >= static_cast<std::int64_t>(store::max_batch_rows)
                                       ? fmt::format("at least {}", count)
                                       : std::to_string(count);
        const std::string age =
            kept ? fmt::format("older than {}h", std::chrono::floor<std::chrono::hours>(*kept).count())
                 : "kept for ever";
        io.out << fmt::format("{} {} ({})\n", number, what, age);
    };
    io.out << (dry_run ? "would remove:\n" : "removed:\n");
    line(pruned.tasks, "ended tasks, with their attempts, logs and events", retention.terminal_record);
    line(pruned.jobs, "ended jobs, with their children, steps and tasks", retention.terminal_record);
    line(pruned.workers, "workers that have left", retention.worker_state);
    line(pruned.heartbeats, "heartbeats", retention.heartbeat);
    line(pruned.worker_states, "worker states", retention.worker_state);
    line(pruned.orders, "lines of the audit", retention.audit);
}

store::PruneAnswer pruned_by(const Session& session, const config::Config& config, const views::PruneOrder& order) {
    if (const auto server = session.server()) return remote::prune(*server, order);
    const auto store = session.open_store_itself(config, Access::AsItIs);
    const store::PruneAnswer pruned = views::prune(*store, config.retention, order);
    if (!order.dry_run && pruned.doubt.empty())
        store->append_event(views::order_event("pruned", session.who(), views::pruned_message(pruned),
                                               views::to_json_shape(views::PruneView{order.dry_run, pruned})));
    return pruned;
}

ExitCode prune(Session& session, const views::PruneOrder& order) {
    const config::Config config = session.load_config();
    const store::PruneAnswer pruned = pruned_by(session, config, order);
    const bool is_refused = !pruned.doubt.empty() && !order.dry_run;
    if (session.globals.json) {
        session.print(views::to_json_shape(views::PruneView{order.dry_run, pruned}));
    } else {
        if (!is_refused) print_pruned(session.io, pruned, config.retention, order.dry_run);
        if (!pruned.doubt.empty())
            session.io.err << fmt::format("holdfast: nothing {}: {}\n",
                                          is_refused ? "was removed" : "would be removed now", pruned.doubt);
    }
    return is_refused ? ExitCode::Failed : ExitCode::Done;
}

void add_threshold(Command& command, std::string& threshold, const char* key) {
    command.text("--threshold", threshold, "DURATION", fmt::format("Quiet for longer than this (default: {})", key));
}

}  // namespace

void add_recovery(Command& recovery) {
    recovery.add("status", "Who sweeps, what recovery did, which workers it doubts", show_status);
    auto [stale, stale_threshold] =
        recovery.add("stale", "CLAIMED and RUNNING tasks of which nothing was heard for a while", list_stale);
    add_threshold(stale, stale_threshold, "recovery.claimed_/running_stale_threshold_ms");
    for (const Settling& settling : settlings) {
        auto [command, threshold] = recovery.add<std::string>(
            settling.word, settling.help,
            [&settling](Session& session, const std::string& given) { return settle(session, settling, given); });
        add_threshold(command, threshold, settling.key);
    }
    recovery.add("sweep", "One pass of every recovery service, now", sweep);
    auto [command, order] = recovery.add("prune", "Remove history that is older than it has to be kept", prune);
    const Option dry_run = command.flag("--dry-run", order.dry_run, "Only say what would be removed");
    command.flag("--yes", order.clock_is_right, "Remove it even while the store's clock is in doubt")
        .excludes(dry_run);
}

}  // namespace holdfast::cli
