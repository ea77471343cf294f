#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

void PostgresStore::advance_jobs(Transaction& tx) {
    const auto ended = std::exchange(tx.ended_steps, {});
    if (!ended.empty()) tx.is_careful ? advance_with_care(tx, ended) : advance(tx, ended);
    const auto slots = std::exchange(tx.slots_to_free, {});
    if (!slots.empty()) tx.later({"SELECT holdfast.free_slots_of($1)", Params(slots)});
}

void PostgresStore::advance(Transaction& tx, const std::vector<store::JustEnded>& ended) {
    std::vector<Uuid> tasks;
    for (const auto& end : ended) tasks.push_back(end.task);
    try {
        if (!tx.ahead.now) look_ahead(tx, tasks);
        orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            orchestrator.tasks_ended(ended);
            return true;
        });
    } catch (const Refusal& refusal) {
        if (!is_about_content(refusal)) throw;
        throw Overtaken(refusal.what());
    } catch (const store::BadDefinition& fault) {
        throw Overtaken(fault.what());
    } catch (const store::Unusable& fault) {
        throw Overtaken(fault.what());
    }
}

/// If one of the jobs cannot be advanced, its tasks have ended all the same, and the other jobs must hear of theirs.
void PostgresStore::advance_with_care(Transaction& tx, const std::vector<store::JustEnded>& ended) {
    if (!try_to_advance(tx, ended)) return;
    for (const auto& end : ended)
        if (const auto trouble = try_to_advance(tx, {end}))
            write_events(tx, {store::job_stuck_event(end.task, tx.who, *trouble)});
}

std::optional<std::string> PostgresStore::try_to_advance(Transaction& tx,
                                                         const std::vector<store::JustEnded>& ended) {
    std::string trouble;
    const auto promised = std::ssize(tx.when_committed);
    tx.run("SAVEPOINT advance");
    try {
        orchestrate(tx, [&](store::Orchestrator& orchestrator) {
            orchestrator.tasks_ended(ended);
            return true;
        });
        return std::nullopt;
    } catch (const Refusal& refusal) {
        if (!is_about_content(refusal)) throw;
        trouble = refusal.what();
    } catch (const store::BadDefinition& fault) {
        trouble = fault.what();
    } catch (const store::Unusable& fault) {
        trouble = fault.what();
    }
    tx.run("ROLLBACK TO advance");
    tx.when_committed.erase(tx.when_committed.begin() + promised, tx.when_committed.end());
    return trouble;
}

}  // namespace holdfast::postgres
