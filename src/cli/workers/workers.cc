#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/assert.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/tasks/timeline.h"
#include "views/worker.h"

namespace holdfast::cli {

namespace {

using views::WorkerStory;
using views::WorkerView;
using Names = std::vector<std::string>;

// ---- List and show --------------------------------------------------------------------------------

/// "active, cordoned"
std::string status_text(const store::WorkerRecord& record) {
    std::string text(word_of(record.status));
    if (record.drain_requested && record.status == store::WorkerStatus::Active) text += ", asked to drain";
    if (record.cordoned) text += ", cordoned";
    return text;
}

Cell freshness_cell(const WorkerView& worker) {
    if (views::has_left(worker.record)) return {"-", Tone::Faint};
    return worker.fresh ? Cell{"fresh", Tone::Good} : Cell{"stale", Tone::Bad};
}

/// "1.2s ago"
std::string heartbeat_text(const store::WorkerRecord& record) {
    return record.last_heartbeat ? fmt::format("{} ago", rough_duration(record.seconds_ago)) : "none yet";
}

/// The number of tasks that it holds, and its slots: "3/10".
std::string slots_text(const store::WorkerRecord& record) {
    return fmt::format("{}/{}", record.held.size(), record.registration.capacity);
}

// Sorts by name; workers of the same name with the newest first.
void sort_for_people(std::vector<store::WorkerRecord>& records) {
    std::sort(records.begin(), records.end(), [](const store::WorkerRecord& left, const store::WorkerRecord& right) {
        return std::tie(left.registration.name, right.registered_at) <
               std::tie(right.registration.name, left.registered_at);
    });
}

Row worker_row(const WorkerView& worker) {
    const store::WorkerRecord& record = worker.record;
    return {id_cell(record.registration.id),
            {record.registration.name, Tone::Strong},
            {status_text(record)},
            freshness_cell(worker),
            {heartbeat_text(record)},
            {slots_text(record)},
            {join(record.registration.tags, ",")},
            {record.registration.version, Tone::Faint}};
}

ExitCode list_workers(Session& session, bool all) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    std::vector<store::WorkerRecord> records = store->workers();
    if (!all) std::erase_if(records, views::has_left);
    sort_for_people(records);
    std::vector<WorkerView> workers;
    for (const auto& record : records) workers.push_back(views::view_of(record, config.recovery));
    using enum Column::Room;
    return session.list({"ID",
                         {"NAME", Shortened},
                         {"STATUS", Shortened},
                         "HEARTBEATS",
                         "LAST HEARTBEAT",
                         "SLOTS",
                         {"TAGS", Shortened},
                         {"VERSION", WideOnly}},
                        workers, worker_row, "no workers: 'holdfast worker' starts one");
}

std::string machine_text(const store::WorkerSnapshot& snapshot) {
    return fmt::format("{:.0f}% of a processor, {:.0f} MB, machine load {:.2f} (at {})", snapshot.cpu_percent,
                       snapshot.memory_mb, snapshot.load, format_timestamp(snapshot.at));
}

void print_leases(const Io& io, const std::vector<store::LeaseRecord>& leases) {
    std::vector<Row> rows;
    for (const auto& lease : leases)
        rows.push_back({{lease.lease.task.to_string()},
                        {lease.name},
                        state_cell(to_text(views::state_of(lease))),
                        {format_timestamp(lease.started_at.value_or(lease.claimed_at))}});
    if (!rows.empty()) io.out << '\n';
    print_table(io, {"TASK", "NAME", "STATE", "SINCE"}, rows);
}

void print_worker(const Io& io, const WorkerStory& story) {
    const store::WorkerRecord& record = story.worker.record;
    const store::WorkerRegistration& registration = record.registration;
    const FieldPrinter field(io);
    field("worker", registration.id.to_string(), Tone::Strong);
    field("name", registration.name);
    field("status", status_text(record));
    const Cell freshness = freshness_cell(story.worker);
    field("heartbeats", fmt::format("{}, the last one {}", freshness.text, heartbeat_text(record)), freshness.tone);
    field("slots", slots_text(record));
    if (!story.snapshots.empty()) field("machine", machine_text(story.snapshots.front()));
    field("queues", join(registration.queues, ", "));
    field("tags", join(registration.tags, ", "));
    field("version", registration.version);
    field("host", fmt::format("{}, pid {}", registration.host.hostname, registration.host.pid));
    field("registered", format_timestamp(record.registered_at));
    print_leases(io, story.leases);
    if (!story.events.empty()) io.out << '\n';
    for (const auto& event : story.events) print_entry(io, {event.at, event.message});
}

ExitCode show_worker(Session& session, const std::string& name) {
    const config::Config config = session.load_config();
    const auto store = session.open_store(config, Access::AsItIs);
    const auto worker = resolve_workers(*store, {name}, Likely::Present).front();
    return session.show(views::read_story(*store, worker, config.recovery), print_worker);
}

// ---- Orders ---------------------------------------------------------------------------------------

struct NamedOrder {
    const char* word;
    const char* help;
    store::WorkerOrder order;
    const char* status;
    const char* sentence;
};
constexpr NamedOrder orders[] = {
    {"drain", "Have workers end what they run, claim nothing more, and leave", store::WorkerOrder::Drain, "asked",
     "is asked to drain: it claims nothing more, ends what it runs, and leaves"},
    {"cordon", "Have workers claim nothing more; what they run goes on", store::WorkerOrder::Cordon, "cordoned",
     "is cordoned: it claims nothing more; what it runs goes on"},
    {"uncordon", "Let workers claim again", store::WorkerOrder::Uncordon, "uncordoned",
     "is not cordoned: it claims tasks"},
};

/// Resolves all names, carries out the order for each worker, and reports the results.
ExitCode steer_workers(Session& session, const Names& names, Likely likely,
                       const std::function<Steered(store::ClientStore&, const Uuid&)>& act) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<Uuid> ids;
    std::vector<Steered> steered;
    for (const auto& worker : resolve_workers(*store, names, likely)) {
        ids.push_back(worker.registration.id);
        steered.push_back(act(*store, ids.back()));
    }
    return report_steered(session, "worker", ids, steered);
}

ExitCode give_order(Session& session, const NamedOrder& order, const Names& names) {
    return steer_workers(session, names, Likely::Present, [&](store::ClientStore& store, const Uuid& id) {
        const bool is_given = store.order_worker({.worker = id, .order = order.order, .who = session.who()});
        return is_given ? Steered{order.status, order.sentence} : is_gone;
    });
}

Steered removal_result(const Uuid& id, store::RemoveStatus status) {
    switch (status) {
        case store::RemoveStatus::Removed:
            return {"removed", "is removed"};
        case store::RemoveStatus::HoldsLeases:
            return {"holds_leases", "still holds tasks: recovery settles those first; nothing was changed",
                    ExitCode::Failed};
        case store::RemoveStatus::StillActive:
            return {"still_active",
                    fmt::format("has not left: 'holdfast workers drain {}' has it leave; nothing was changed",
                                id.to_string()),
                    ExitCode::Failed};
        case store::RemoveStatus::NotFound:
            return is_gone;
    }
    HOLDFAST_ASSERT(false);
}

ExitCode remove_workers(Session& session, const Names& names) {
    return steer_workers(session, names, Likely::Left, [&](store::ClientStore& store, const Uuid& id) {
        return removal_result(id, store.remove_worker(id, session.who()));
    });
}

void add_worker_order(Command& workers, const char* word, const char* help,
                      std::function<ExitCode(Session&, const Names&)> act) {
    auto [command, names] = workers.add<Names>(word, help, std::move(act));
    command.arguments("WORKER", names, "Their names, or the beginnings of their ids");
}

}  // namespace

void add_workers(Command& workers) {
    auto [list, all] = workers.add("list", "Every worker: its status, its slots, its tags", list_workers);
    list.flag("--all", all, "Also those that have left");
    auto [show, name] =
        workers.add("show", "One worker: what it is, what it holds, what happened to it", show_worker);
    show.argument("WORKER", name, "Its name, or the beginning of its id");
    for (const NamedOrder& order : orders)
        add_worker_order(workers, order.word, order.help, [&order](Session& session, const Names& names) {
            return give_order(session, order, names);
        });
    add_worker_order(workers, "remove", "Forget workers that have left", remove_workers);
}

}  // namespace holdfast::cli
