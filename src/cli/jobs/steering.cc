#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/job_tree.h"
#include "cli/terminal/words.h"
#include "client/operations.h"

namespace holdfast::cli {

namespace {

// ---- Cancel, pause, resume ------------------------------------------------------------------------

struct SteerCommand {
    std::vector<std::string> ids;
    std::string reason;
};

/// An order to jobs, and the texts that report its result.
struct JobOrder {
    const char* word;
    const char* help;
    std::vector<SteerStatus> (store::ClientStore::*verb)(const store::SteerJobsParams&);
    const char* applied;  // the status in --json
    const char* sentence;
    const char* already;
};

constexpr JobOrder cancel{"cancel",
                          "End jobs, and the jobs that they started",
                          &store::ClientStore::cancel_jobs,
                          "cancelled",
                          "is CANCELLED",
                          "had been cancelled before"};
constexpr JobOrder pause{
    "pause",  "Let what runs end, and start nothing new",         &store::ClientStore::pause_jobs,
    "paused", "is PAUSED: what runs goes on, nothing new begins", "was paused before"};
constexpr JobOrder resume{"resume",  "Let paused jobs go on", &store::ClientStore::resume_jobs, "resumed",
                          "goes on", "was not paused"};

Steered steer_result(SteerStatus status, const JobOrder& order) {
    switch (status) {
        case SteerStatus::Applied:
            return {order.applied, order.sentence};
        case SteerStatus::Already:
            return {"already", order.already};
        case SteerStatus::Finished:
            return had_ended;
        case SteerStatus::NotFound:
            return is_gone;
    }
    HOLDFAST_ASSERT(false);
}

/// Adds that steps still run: a job is CANCELLED only when their workers have stopped them.
Steered cancel_outcome(store::ClientStore& store, const Uuid& id, Steered steered) {
    if (steered.status != cancel.applied) return steered;
    const auto job = store.find_jobs({id}).front();
    if (!job || is_terminal(job->state)) return steered;
    return {"requested", "is being cancelled: the workers of its running steps have been asked to stop them"};
}

ExitCode steer(Session& session, const SteerCommand& command, const JobOrder& order) {
    const auto store = session.open_store(Access::AsItIs);
    const auto ids = resolve_jobs(*store, command.ids);
    const auto statuses = ((*store).*order.verb)({.jobs = ids, .who = session.who(), .reason = command.reason});
    std::vector<Steered> steered;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        steered.push_back(steer_result(statuses[i], order));
        if (&order == &cancel) steered.back() = cancel_outcome(*store, ids[i], steered.back());
    }
    return report_steered(session, "job", ids, steered);
}

void add_job_order(Command& jobs, const JobOrder& order) {
    auto [command, given] = jobs.add<SteerCommand>(
        order.word, order.help,
        [&order](Session& session, const SteerCommand& steering) { return steer(session, steering, order); });
    command.arguments("ID", given.ids, "Their ids, or the beginnings of them");
    command.text("--reason", given.reason, "TEXT", "The reason, recorded in its history");
}

// ---- Retry ----------------------------------------------------------------------------------------

void require_retryable(const JobInfo& job) {
    const std::string id = job.id.to_string();
    if (!job.parent.is_nil())
        throw WrongState(
            fmt::format("job {} was started by another; retry the one at the top: {}", id, job.root.to_string()));
    if (!is_terminal(job.state))
        throw WrongState(
            fmt::format("job {} is {}; only a job that has ended can be retried", id, to_text(job.state)));
    if (job.state == JobState::Completed)
        throw WrongState(fmt::format(
            "job {} is COMPLETED: there is nothing to retry; 'holdfast run {}' starts a new one", id, job.workflow));
}

ExitCode retry_job(Session& session, const std::string& given_id) {
    const auto store = session.open_store(Access::AsItIs);
    const JobInfo job = resolve_job(*store, given_id);
    require_retryable(job);
    const Uuid retry = client::retry_ended_job(*store, job.id, session.who());
    return session.tell_id(Json{{"id", retry.to_string()}, {"retry_of", job.id.to_string()}}, retry, "started ",
                           fmt::format(" as a retry of {}, with what had succeeded there", job.id.to_string()));
}

// ---- Approve --------------------------------------------------------------------------------------

struct ApproveCommand {
    std::string id, step, reason;
    bool reject = false;
};

std::vector<std::string> waiting_approvals(store::ClientStore& store, const Uuid& job) {
    std::vector<std::string> names;
    for (const StepInfo& step : store.steps({.job = job, .with_items = true, .step = {}}))
        if (waits_for_approval(step)) names.push_back(step.name);
    return names;
}

std::string what_waits(store::ClientStore& store, const JobInfo& job, const std::string& step) {
    const auto names = waiting_approvals(store, job.id);
    if (names.empty()) return fmt::format("no step of this job waits for one; it is {}", to_text(job.state));
    return fmt::format("these wait for one: {}{}", join(names, ", "), suggestion(step, names));
}

void require_applied(store::ClientStore& store, const JobInfo& job, const std::string& step,
                     store::DecideStatus status) {
    switch (status) {
        case store::DecideStatus::Applied:
            return;
        case store::DecideStatus::Already:
            throw WrongState(
                fmt::format("step {} had been decided, or had ended, before; nothing was changed", step));
        case store::DecideStatus::NotWaiting:
            throw WrongState(
                fmt::format("step {} does not wait for an approval yet; {}", step, what_waits(store, job, step)));
        case store::DecideStatus::NotFound:
            throw WrongState(fmt::format("job {} has no approval '{}'; {}", job.id.to_string(), step,
                                         what_waits(store, job, step)));
    }
    HOLDFAST_ASSERT(false);
}

ExitCode approve(Session& session, const ApproveCommand& command) {
    const auto store = session.open_store(Access::AsItIs);
    const JobInfo job = resolve_job(*store, command.id);
    const auto status = store->decide_approval({.job = job.id,
                                                .step = command.step,
                                                .approve = !command.reject,
                                                .who = session.who(),
                                                .reason = command.reason});
    require_applied(*store, job, command.step, status);
    const char* const word = command.reject ? "rejected" : "approved";
    return session.tell(Json{{"id", job.id.to_string()}, {"step", command.step}, {"status", word}},
                        fmt::format("step {} of job {} is {}", command.step, job.id.to_string(), word));
}

}  // namespace

void add_jobs_steering(Command& jobs) {
    for (const JobOrder* order : {&cancel, &pause, &resume}) add_job_order(jobs, *order);
    auto [retry, id] = jobs.add("retry", "Start a job again from where it failed; prints the new id", retry_job);
    retry.argument("ID", id, "Its id, or the beginning of it");
    auto [decide, given] = jobs.add("approve", "Decide a step that waits for approval", approve);
    decide.argument("ID", given.id, "The job's id, or the beginning of it");
    decide.argument("STEP", given.step, "The step that waits: release, or release[2]");
    decide.flag("--reject", given.reject, "Reject it: the step fails");
    decide.text("--reason", given.reason, "TEXT", "The reason, recorded in its history");
    decide.examples({"holdfast jobs approve 01998a2b-7c1d release",
                     "holdfast jobs approve 01998a2b-7c1d release --reject --reason 'tests are red'"});
}

}  // namespace holdfast::cli
