#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

/// Is the refusal about the data of the jobs, rather than about the server or concurrent transactions?
bool is_about_content(const Refusal& refusal) {
    const auto kind = refusal.state.substr(0, 2);
    return kind == "22" || kind == "23" || kind == "P0";
}

}  // namespace

void PostgresStore::advance_jobs(Transaction& tx) {
    const auto ended = std::exchange(tx.ended_steps, {});
    if (!ended.empty() && try_to_advance(tx, ended)) {
        // One of the jobs cannot be advanced. Its tasks have ended all the same, and the other jobs must hear of
        // theirs.
        for (const auto& end : ended)
            if (const auto trouble = try_to_advance(tx, {end}))
                write_events(tx, {store::job_stuck_event(end.task, tx.who, *trouble)});
    }
    const auto slots = std::exchange(tx.slots_to_free, {});
    if (!slots.empty()) tx.run("SELECT holdfast.free_slots_of($1)", slots);
}

std::optional<std::string> PostgresStore::try_to_advance(Transaction& tx,
                                                         const std::vector<store::JustEnded>& ended) {
    std::string trouble;
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
    return trouble;
}

}  // namespace holdfast::postgres
