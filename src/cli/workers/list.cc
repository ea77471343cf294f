#include <algorithm>
#include <ostream>
#include <tuple>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/workers/worker_view.h"

namespace holdfast::cli {

namespace {

// Sorts by name; workers of the same name with the newest first.
void sort_for_people(std::vector<store::WorkerRecord>& records) {
    std::sort(records.begin(), records.end(), [](const store::WorkerRecord& left, const store::WorkerRecord& right) {
        return std::tie(left.registration.name, right.registered_at) <
               std::tie(right.registration.name, left.registered_at);
    });
}

std::vector<Cell> row_of(const WorkerView& worker) {
    const store::WorkerRecord& record = worker.record;
    return {{record.registration.id.to_string()},
            {record.registration.name, Tone::Strong},
            {status_text(record)},
            freshness_cell(worker),
            {beat_text(record)},
            {load_text(record)},
            {join(record.registration.tags, ",")},
            {record.registration.version, Tone::Faint}};
}

ExitCode list_workers(Session& session, bool all) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    std::vector<store::WorkerRecord> records = store->workers();
    if (!all)
        std::erase_if(records, [](const auto& record) { return record.status == store::WorkerStatus::Inactive; });
    sort_for_people(records);
    std::vector<std::vector<Cell>> rows;
    for (const auto& record : records) {
        const WorkerView worker = view_of(record, config.recovery);
        if (session.globals.json) session.print(to_json_shape(worker));
        rows.push_back(row_of(worker));
    }
    if (session.globals.json) return ExitCode::Done;
    print_table(session.io, {"ID", "NAME", "STATUS", "BEATS", "LAST BEAT", "LOAD", "TAGS", "VERSION"}, rows);
    if (rows.empty() && session.io.terminal) session.io.out << "no workers: 'holdfast worker' starts one\n";
    return ExitCode::Done;
}

}  // namespace

void add_workers_list(Command& workers) {
    auto [command, all] = workers.add("list", "Every worker: its state, its load, what it can do", list_workers);
    command.flag("--all", all, "Also those that have left");
}

}  // namespace holdfast::cli
