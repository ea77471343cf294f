#include "proof/sim/submit_check.h"

#include "base/text.h"
#include "holdfast/client.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

void SubmitCheck::lost(const Uuid& id, const std::string& name, const std::string& client, bool shows) {
    ever_lost_.insert(id);
    if (shows && !client.empty() && !dead_.contains(client)) untold_.insert_or_assign(id, Untold{name, client});
}

void SubmitCheck::told(Process& client, const LostSubmits& lost) {
    std::vector<Uuid> all = lost.tasks;
    all.insert(all.end(), lost.jobs.begin(), lost.jobs.end());
    for (const Uuid& id : all) {
        untold_.erase(id);
        const TrueTask* task = world_.ledger.find(id);
        const bool was_removed = task != nullptr ? task->was_pruned : witness_.jobs.was_pruned(id);
        if (!ever_lost_.contains(id) && !was_removed)
            witness_.complain("Lost submits", concat(client.name(), " was told that the store has lost ",
                                                     id.to_string(), ", which it has not"));
    }
}

void SubmitCheck::died(const Process& client) {
    const std::string key = Witness::key_of(client);
    dead_.insert(key);
    std::erase_if(untold_, [&](const auto& each) { return each.second.client == key; });
}

std::string SubmitCheck::untold() const {
    std::string text;
    for (const auto& [id, each] : untold_)
        text += concat(text.empty() ? "" : ", ", each.name, " of client ", each.client);
    return text;
}

}  // namespace holdfast::sim
