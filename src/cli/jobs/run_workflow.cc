#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/jobs/job_ending.h"
#include "cli/jobs/run_input.h"
#include "cli/jobs/workflow_choice.h"
#include "cli/terminal/words.h"
#include "client/job_operations.h"

namespace holdfast::cli {

namespace {

struct RunCommand {
    WorkflowChoice workflow;
    InputFlags input;
    std::string id;
    bool wait = false;
    std::string timeout;
};

std::optional<Duration> read_timeout(const RunCommand& command) {
    if (command.timeout.empty()) return std::nullopt;
    if (!command.wait) throw BadInput("--timeout says how long --wait waits; a workflow has a 'timeout' of its own");
    return read_duration("--timeout", command.timeout);
}

struct Started {
    Uuid id;
    bool existed;
};

Started start(store::ClientStore& store, const store::NewJob& job) {
    const bool existed = !job.id.is_nil() && store.find_jobs({job.id}).front().has_value();
    return {client::start_job(store, job), existed};
}

Json answer_of(const Started& started) {
    return {{"id", started.id.to_string()}, {"status", started.existed ? "existing" : "accepted"}};
}

void print_started(const Io& io, const Started& started) {
    if (!io.terminal) {
        io.out << started.id.to_string() << std::endl;
        return;
    }
    io.out << (started.existed ? "had been started before: job " : "started job ")
           << paint(io, Tone::Strong, started.id.to_string()) << std::endl;
}

ExitCode follow(const Session& session, store::ClientStore& store, const Started& started,
                std::optional<Duration> timeout) {
    const SignalNotes signals;
    if (!session.globals.json) print_started(session.io, started);
    const JobEnding ending = follow_job(session, signals, store, started.id, timeout);
    if (!session.globals.json) return report_job_ending(session.io, ending);
    Json answer = answer_of(started);
    answer.update(to_json_shape(ending));
    session.print(answer);
    return exit_code_of(ending);
}

// Reads and checks all input before it creates a store.
ExitCode run_workflow(Session& session, const RunCommand& command) {
    const config::Config config = session.load_config();
    const core::WorkflowBundle bundle = choose_workflow(command.workflow, config);
    const auto input = read_input(command.input, bundle.workflows.at(bundle.main), session.io.in);
    const auto timeout = read_timeout(command);
    const store::NewJob job{.id = command.id.empty() ? Uuid() : read_uuid("--id", command.id),
                            .definition = core::to_json_text(bundle),
                            .input = input,
                            .who = session.who(),
                            .retry_of = {}};
    const auto store = session.open_store(config, Access::CreateAndMigrate);
    const Started started = start(*store, job);
    if (command.wait) return follow(session, *store, started, timeout);
    if (session.globals.json)
        session.print(answer_of(started));
    else
        print_started(session.io, started);
    return ExitCode::Done;
}

}  // namespace

void add_run(Command& program) {
    auto [command, given] = program.add("run", "Start a job of a workflow; prints its id", run_workflow);
    command.optional_argument("NAME", given.workflow.name, "The workflow's name in the configuration file");
    add_file_option(command, given.workflow);
    add_input_options(command, given.input);
    command.text("--id", given.id, "UUID", "A UUID of your own; starting it again is harmless");
    command.flag("--wait", given.wait, "Show its steps until it has ended, and print its output");
    command.text("--timeout", given.timeout, "DURATION", "Wait at most this long");
}

}  // namespace holdfast::cli
