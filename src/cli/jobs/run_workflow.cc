#include "cli/commands.h"
#include "cli/jobs/run_flags.h"
#include "cli/jobs/waiting.h"
#include "cli/tasks/submit_flags.h"
#include "cli/terminal/words.h"
#include "client/operations.h"

namespace holdfast::cli {

namespace {

struct RunCommand {
    WorkflowChoice workflow;
    InputFlags input;
    std::string id;
    WaitFlags wait;
};

// Reads and checks all input before it creates a store.
ExitCode run_workflow(Session& session, const RunCommand& command) {
    const config::Config config = session.load_config();
    const core::WorkflowBundle bundle = choose_workflow(command.workflow, config);
    const auto input = read_input(command.input, bundle.workflows.at(bundle.main), session.io.in);
    const auto timeout = read_timeout(command.wait, "a workflow has a 'timeout' of its own");
    const store::NewJob job{.id = command.id.empty() ? Uuid() : read_uuid("--id", command.id),
                            .definition = core::to_json_text(bundle),
                            .input = input,
                            .who = session.who(),
                            .retry_of = {}};
    const auto store = session.open_store(config, Access::CreateAndMigrate);
    const bool existed = !job.id.is_nil() && store->find_jobs({job.id}).front().has_value();
    const Uuid id = client::start_job(*store, job);
    Json answer = {{"id", id.to_string()}, {"status", existed ? "existing" : "accepted"}};
    std::optional<SignalNotes> signals;  // before the id is printed
    if (command.wait.wait) signals.emplace();
    if (!command.wait.wait || !session.globals.json)
        session.tell_id(answer, id, existed ? "had been started before: job " : "started job ");
    return command.wait.wait ? follow_job(session, *signals, *store, id, timeout, std::move(answer)) : ExitCode::Done;
}

}  // namespace

void add_run(Command& program) {
    auto [command, given] = program.add("run", "Start a job of a workflow; prints its id", run_workflow);
    command.optional_argument("NAME", given.workflow.name, "The workflow's name in the configuration file");
    add_file_option(command, given.workflow);
    add_input_options(command, given.input);
    command.text("--id", given.id, "UUID", "A UUID of your own; starting it again is harmless");
    add_wait_options(command, given.wait, "Show its steps until it has ended, and print its output");
}

}  // namespace holdfast::cli
