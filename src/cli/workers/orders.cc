#include <fmt/format.h>

#include "base/assert.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/steering.h"

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

ExitCode remove_workers(Session& session, const Names& names) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<Steered> steered;
    for (const auto& worker : resolve_workers(*store, names, Likely::Left))
        steered.push_back(describe(worker.registration.id, store->remove_worker(worker.registration.id)));
    return report_steered(session, "worker", steered);
}

void add_command(Command& workers, const char* word, const char* help,
                 std::function<ExitCode(Session&, const Names&)> act) {
    auto [command, names] = workers.add<Names>(word, help, std::move(act));
    command.arguments("WORKER", names, "Their names, or the beginnings of their ids");
}

}  // namespace

void add_workers_orders(Command& workers) {
    for (const Order& order : orders)
        add_command(workers, order.word, order.help,
                    [&order](Session& session, const Names& names) { return give_order(session, order, names); });
    add_command(workers, "remove", "Forget workers that have left", remove_workers);
}

}  // namespace holdfast::cli
