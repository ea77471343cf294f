#include <fmt/format.h>

#include <ostream>

#include "base/assert.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/step_tree.h"
#include "cli/terminal/json_shapes.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

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
    session.tell(Json{{"id", job.id.to_string()}, {"step", command.step}, {"status", word}},
                 fmt::format("step {} of job {} is {}", command.step, job.id.to_string(), word));
    return ExitCode::Done;
}

}  // namespace

void add_jobs_approve(Command& jobs) {
    auto [command, given] = jobs.add("approve", "Decide a step that waits for approval", approve);
    command.argument("ID", given.id, "The job's id, or the beginning of it");
    command.argument("STEP", given.step, "The step that waits: release, or release[2]");
    command.flag("--reject", given.reject, "Reject it: the step fails");
    command.text("--reason", given.reason, "TEXT", "The reason, recorded in its history");
}

}  // namespace holdfast::cli
