#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/assert.h"
#include "base/text.h"
#include "cli/jobs/commands.h"
#include "cli/jobs/job_ids.h"
#include "cli/jobs/step_tree.h"
#include "cli/terminal/json_shapes.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

struct ApproveCommand {
    std::string id, step, reason;
    bool reject = false;
};

std::vector<std::string> waiting_approvals(store::Store& store, const Uuid& job) {
    std::vector<std::string> names;
    for (const StepInfo& step : store.steps({.job = job, .with_items = true, .step = {}}))
        if (waits_for_approval(step)) names.push_back(step.name);
    return names;
}

std::string what_waits(store::Store& store, const JobInfo& job, const std::string& step) {
    const auto names = waiting_approvals(store, job.id);
    if (names.empty()) return fmt::format("no step of this job waits for one; it is {}", to_text(job.state));
    return fmt::format("these wait for one: {}{}", join(names, ", "), suggestion(step, names));
}

void require_applied(store::Store& store, const JobInfo& job, const std::string& step, store::DecideStatus status) {
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
    if (session.globals.json)
        session.io.out << Json{{"id", job.id.to_string()}, {"step", command.step}, {"status", word}}.dump() << '\n';
    else
        session.io.out << fmt::format("step {} of job {} is {}\n", command.step, job.id.to_string(), word);
    return ExitCode::Done;
}

}  // namespace

void add_jobs_approve(CLI::App& jobs, Action& chosen) {
    auto given = std::make_shared<ApproveCommand>();
    auto* command = jobs.add_subcommand("approve", "Decide a step that waits for approval");
    command->add_option("ID", given->id, "The job's id, or the beginning of it")->required()->type_name("");
    command->add_option("STEP", given->step, "The step that waits: release, or release[2]")
        ->required()
        ->type_name("");
    command->add_flag("--reject", given->reject, "Reject it: the step fails");
    command->add_option("--reason", given->reason, "Why, for those who read its history")->type_name("TEXT");
    command->callback([given, &chosen] { chosen = [given](Session& session) { return approve(session, *given); }; });
}

}  // namespace holdfast::cli
