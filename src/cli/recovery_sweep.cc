#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/json_shapes.h"
#include "cli/recovery_commands.h"
#include "cli/recovery_counts.h"
#include "cli/sweep_settings.h"
#include "platform/service_loop.h"
#include "platform/system_random.h"
#include "worker/sweep_thread.h"

namespace holdfast::cli {

namespace {

Json to_json_shape(const engine::ServicePass& pass) {
    Json shape = {{"service", pass.service}};
    shape.update(counts_shape(pass.report));
    shape["remarks"] = pass.report.remarks;
    shape["failure"] = pass.failure.empty() ? Json() : Json(pass.failure);
    return shape;
}

void print(const Io& io, const engine::SweepReport& report) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& pass : report.passes)
        rows.push_back({{pass.service},
                        pass.failure.empty() ? Cell{counts_text(counts_shape(pass.report))}
                                             : Cell{"failed: " + pass.failure, Tone::Bad}});
    print_table(io, {"SERVICE", "DID"}, rows);
    for (const auto& pass : report.passes)
        for (const std::string& remark : pass.report.remarks) io.out << remark << '\n';
    io.out << "A single pass has no time to observe: it acts on certain evidence, deadlines and retention only. "
              "Silent workers are judged by 'holdfast worker', which watches them.\n";
}

ExitCode sweep(Session& session) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const auto host = worker::host_watch_for(config.store.url, container_tool(config.worker));
    platform::SystemRandom random;
    engine::Sweeper sweeper(*store, *host, random, session.who(), sweep_settings(config), platform::machine_time);
    const engine::SweepReport report = sweeper.run_all(platform::machine_time());
    bool has_failed = false;
    for (const auto& pass : report.passes) {
        has_failed = has_failed || !pass.failure.empty();
        if (session.globals.json) session.io.out << to_json_shape(pass).dump() << '\n';
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
