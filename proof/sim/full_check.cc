#include <algorithm>

#include "base/text.h"
#include "proof/sim/witness.h"
#include "proof/sim/world.h"
#include "store/migration.h"

namespace holdfast::sim {

void Witness::note_ending(const Uuid& task, const EndingSight& ending) {
    const auto [known, is_new] = endings_.try_emplace(task, ending);
    if (!is_new && !(known->second == ending))
        complain("P5", concat(world_.ledger.name_of(task), " was ", to_text(known->second.state), ", and is ",
                              to_text(ending.state), " now"));
}

void Witness::look_at_everything(const std::string& when) {
    if (!reader_.open(world_.disk)) return;
    const LeasePicture leases = reader_.leases();
    notice_rollover(picture_);
    if (leases != picture_) complain("P1", concat("leases changed although nobody called the store, seen ", when));
    picture_ = leases;
    for (const std::string& contradiction : reader_.contradictions(world_.histories > 1))
        complain("Consistent rows", concat(contradiction, ", seen ", when));
    const std::set<Uuid> tasks = reader_.tasks();
    check_endings(reader_.endings(), tasks);
    check_presence(tasks);
    jobs.look_at_everything(tasks);
}

/// A task that has ended stays as it was until retention removes it.
void Witness::check_endings(const std::map<Uuid, EndingSight>& endings, const std::set<Uuid>& tasks) {
    for (const auto& [task, ending] : endings) note_ending(task, ending);
    for (const auto& [task, ending] : endings_) {
        if (endings.contains(task)) continue;
        if (tasks.contains(task)) {
            complain("P5",
                     concat(world_.ledger.name_of(task), " was ", to_text(ending.state), ", and has not ended now"));
        } else {
            check_pruned(task, ending);
        }
    }
}

void Witness::check_pruned(const Uuid& task, const EndingSight& ending) {
    if (TrueTask* known = world_.ledger.find(task)) known->was_pruned = true;
    const std::string name = world_.ledger.name_of(task);
    // Tasks of steps are removed with their jobs: even a hook that ended long after its job.
    const auto root = jobs.roots().find(task);
    if (root != jobs.roots().end()) return jobs.check_pruned_tree(name, root->second);
    check_age(name, ending.finished_at);
}

void Witness::check_age(const std::string& name, Timestamp finished_at) {
    if (finished_at + *world_.plan.sweep.retention.terminal > world_.latest_wall_clock)
        complain("P1", concat(name, " was removed before its retention had passed"));
}

void Witness::check_presence(const std::set<Uuid>& tasks) {
    for (auto& [id, task] : world_.ledger.tasks()) {
        const bool is_there = tasks.contains(id);
        if (is_there) task.in_store = true;
        if (!is_there && !task.was_pruned && (task.acknowledged || task.in_store))
            complain("P1", concat(task.name, " was accepted, and is gone"));
    }
    for (const auto& [task, root] : jobs.roots())
        if (!tasks.contains(task) && !endings_.contains(task))
            complain("P1", concat(world_.ledger.name_of(task), " of ", world_.ledger.name_of_job(root),
                                  " has not ended, and is gone"));
}

bool Witness::all_ended() {
    if (!reader_.open(world_.disk) || !picture_.empty()) return false;
    const auto endings = reader_.endings();
    for (const Uuid& task : reader_.tasks()) {
        if (!endings.contains(task)) return false;
        submits.found(task);
    }
    for (const auto& [id, job] : reader_.jobs()) {
        if (!job.has_ended()) return false;
        submits.found(id);
    }
    return true;
}

std::string Witness::unended() {
    std::string text;
    const auto endings = reader_.endings();
    for (const Uuid& task : reader_.tasks())
        if (!endings.contains(task)) text += concat(text.empty() ? "" : ", ", world_.ledger.name_of(task));
    for (const auto& [id, job] : reader_.jobs())
        if (!job.has_ended())
            text += concat(text.empty() ? "" : ", ", world_.ledger.name_of_job(id), " (", job.state, ")");
    return text;
}

void Witness::check_end() {
    look_at_everything("at the end");
    if (const std::string damage = reader_.damage(); !damage.empty()) complain("P1", concat("damaged: ", damage));
    if (const int newest = sqlite::embedded_migrations().back().number; reader_.schema_version() != newest)
        complain("Store contract", concat("the schema is of version ", reader_.schema_version(), ", not ", newest));
    for (const auto& [id, ending] : endings_) {
        if (ending.state != TaskState::Completed) continue;
        const auto returned = [&, of = id](const TrueRun& run) {
            return run.lease.task == of && run.lease.lease == ending.lease && run.how == "completed";
        };
        const bool is_true = std::ranges::any_of(world_.ledger.runs(), returned);
        if (!is_true || ending.result != concat("{\"lease\":", ending.lease, "}"))
            complain("P4", concat(world_.ledger.name_of(id), " is COMPLETED with ", ending.result,
                                  ", which no run has returned"));
    }
}

}  // namespace holdfast::sim
