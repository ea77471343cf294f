#include "cli/steering.h"
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/ids.h"

namespace holdfast::cli {

namespace {

struct SteerCommand {
    std::vector<std::string> ids;
    std::string reason;
};

/// An order to jobs, and the texts that report its result.
struct Order {
    const char* word;
    const char* help;
    std::vector<SteerStatus> (store::ClientStore::*verb)(const store::SteerJobsParams&);
    const char* applied;  // the status in --json
    const char* sentence;
    const char* already;
};

constexpr Order cancel{"cancel",
                       "End jobs, and the jobs that they started",
                       &store::ClientStore::cancel_jobs,
                       "cancelled",
                       "is CANCELLED",
                       "had been cancelled before"};
constexpr Order pause{"pause",  "Let what runs end, and start nothing new",         &store::ClientStore::pause_jobs,
                      "paused", "is PAUSED: what runs goes on, nothing new begins", "was paused before"};
constexpr Order resume{"resume",  "Let paused jobs go on", &store::ClientStore::resume_jobs, "resumed",
                       "goes on", "was not paused"};

Steered describe(const Uuid& id, SteerStatus status, const Order& order) {
    switch (status) {
        case SteerStatus::Applied:
            return {id, order.applied, order.sentence, ExitCode::Done};
        case SteerStatus::Already:
            return {id, "already", order.already, ExitCode::Done};
        case SteerStatus::Finished:
            return {id, "finished", "had ended before; nothing was changed", ExitCode::Failed};
        case SteerStatus::NotFound:
            return {id, "not_found", "is not there any more", ExitCode::Failed};
    }
    HOLDFAST_ASSERT(false);
}

/// Adds that steps still run: a job is CANCELLED only when their workers have stopped them.
void tell_what_still_runs(store::ClientStore& store, std::vector<Steered>& steered) {
    for (Steered& one : steered) {
        const auto job = store.find_jobs({one.id}).front();
        if (one.status != cancel.applied || !job || is_terminal(job->state)) continue;
        one.status = "requested";
        one.sentence = "is being cancelled: the workers of its running steps have been asked to stop them";
    }
}

ExitCode steer(Session& session, const SteerCommand& command, const Order& order) {
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = resolve_jobs(*store, command.ids);
    const auto statuses = ((*store).*order.verb)({.jobs = ids, .who = session.who(), .reason = command.reason});
    std::vector<Steered> steered;
    for (std::size_t i = 0; i < ids.size(); ++i) steered.push_back(describe(ids[i], statuses[i], order));
    if (&order == &cancel) tell_what_still_runs(*store, steered);
    return report_steered(session, "job", steered);
}

void add_order(Command& jobs, const Order& order) {
    auto [command, given] = jobs.add<SteerCommand>(
        order.word, order.help,
        [&order](Session& session, const SteerCommand& steering) { return steer(session, steering, order); });
    command.arguments("ID", given.ids, "Their ids, or the beginnings of them");
    command.text("--reason", given.reason, "TEXT", "The reason, recorded in its history");
}

}  // namespace

void add_jobs_steering(Command& jobs) {
    for (const Order* order : {&cancel, &pause, &resume}) add_order(jobs, *order);
}

}  // namespace holdfast::cli
