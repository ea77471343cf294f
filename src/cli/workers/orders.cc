#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/assert.h"
#include "cli/steering.h"
#include "cli/workers/commands.h"
#include "cli/workers/worker_ids.h"

namespace holdfast::cli {

namespace {

using Names = std::vector<std::string>;

struct Order {
    const char* word;
    const char* help;
    store::WorkerOrder order;
    const char* status;
    const char* sentence;
};
constexpr Order orders[] = {
    {"drain", "Have workers end what they run, claim nothing more, and leave", store::WorkerOrder::Drain, "asked",
     "is asked to drain: it claims nothing more, ends what it runs, and leaves"},
    {"cordon", "Have workers claim nothing more; what they run goes on", store::WorkerOrder::Cordon, "cordoned",
     "is cordoned: it claims nothing more; what it runs goes on"},
    {"uncordon", "Let workers claim again", store::WorkerOrder::Uncordon, "uncordoned",
     "is not cordoned: it claims tasks"},
};

ExitCode give_order(Session& session, const Order& order, const Names& names) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<Steered> steered;
    for (const auto& worker : resolve_workers(*store, names, Likely::Present)) {
        const Uuid& id = worker.registration.id;
        if (store->order_worker({.worker = id, .order = order.order, .who = session.who()}))
            steered.push_back({id, order.status, order.sentence, ExitCode::Done});
        else
            steered.push_back({id, "not_found", "is not there any more", ExitCode::Failed});
    }
    return report_steered(session, "worker", steered);
}

Steered describe(const Uuid& id, store::RemoveStatus status) {
    switch (status) {
        case store::RemoveStatus::Removed:
            return {id, "removed", "is removed", ExitCode::Done};
        case store::RemoveStatus::HoldsLeases:
            return {id, "holds_leases", "still holds tasks: recovery settles those first; nothing was changed",
                    ExitCode::Failed};
        case store::RemoveStatus::StillActive:
            return {id, "still_active",
                    fmt::format("has not left: 'holdfast workers drain {}' has it leave; nothing was changed",
                                id.to_string()),
                    ExitCode::Failed};
        case store::RemoveStatus::NotFound:
            return {id, "not_found", "is not there any more", ExitCode::Failed};
    }
    HOLDFAST_ASSERT(false);
}

ExitCode remove(Session& session, const Names& names) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<Steered> steered;
    for (const auto& worker : resolve_workers(*store, names, Likely::Left))
        steered.push_back(describe(worker.registration.id, store->remove_worker(worker.registration.id)));
    return report_steered(session, "worker", steered);
}

template <typename Work>
void add_command(CLI::App& workers, Action& chosen, const char* word, const char* help, Work work) {
    auto names = std::make_shared<Names>();
    auto* command = workers.add_subcommand(word, help);
    command->add_option("WORKER", *names, "Their names, or the beginnings of their ids")->required()->type_name("");
    command->callback(
        [names, work, &chosen] { chosen = [names, work](Session& session) { return work(session, *names); }; });
}

}  // namespace

void add_workers_orders(CLI::App& workers, Action& chosen) {
    for (const Order& order : orders)
        add_command(workers, chosen, order.word, order.help,
                    [&order](Session& session, const Names& names) { return give_order(session, order, names); });
    add_command(workers, chosen, "remove", "Forget workers that have left", remove);
}

}  // namespace holdfast::cli
