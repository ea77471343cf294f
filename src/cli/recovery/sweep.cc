#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/visible_text.h"
#include "cli/recovery/commands.h"
#include "cli/recovery/recovery_counts.h"
#include "platform/service_loop.h"
#include "platform/system_random.h"
#include "server/api/sweep_settings.h"
#include "server/remote/remote_recovery.h"
#include "views/recovery_view.h"
#include "worker/sweep_thread.h"

namespace holdfast::cli {

namespace {

void print(const Io& io, const engine::SweepReport& report) {
    std::vector<std::vector<Cell>> rows;
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
    const auto store = session.open_store(config, Access::AsItIs);
    const auto host = worker::host_watch_for(config.store.url, api::container_tool(config.worker));
    platform::SystemRandom random;
    engine::Sweeper sweeper(*store, *host, random, session.who(), api::sweep_settings(config),
                            platform::machine_time);
    return sweeper.run_all(platform::machine_time());
}

ExitCode sweep(Session& session) {
    const engine::SweepReport report = run_sweep(session);
    bool has_failed = false;
    for (const auto& pass : report.passes) {
        has_failed = has_failed || !pass.failure.empty();
        if (session.globals.json) session.io.out << views::to_json_shape(pass).dump() << '\n';
    }
    if (!session.globals.json) print(session.io, report);
    return has_failed ? ExitCode::Failed : ExitCode::Done;
}

}  // namespace

void add_recovery_sweep(CLI::App& recovery, Action& chosen) {
    recovery.add_subcommand("sweep", "One pass of every recovery service, now")->callback([&chosen] {
        chosen = sweep;
    });
}

}  // namespace holdfast::cli
