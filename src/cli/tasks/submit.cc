#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/tasks/arguments.h"
#include "cli/tasks/ending.h"
#include "cli/tasks/submission.h"
#include "cli/tasks/submit_options.h"
#include "cli/terminal/words.h"
#include "client/task_operations.h"

namespace holdfast::cli {

namespace {

struct SubmitCommand {
    WorkFlags work;
    std::string args = "null";
    SubmitFlags flags;
    bool wait = false;
    std::string timeout;
};

std::optional<Duration> read_timeout(const SubmitCommand& command) {
    if (command.timeout.empty()) return std::nullopt;
    if (!command.wait)
        throw BadInput("--timeout says how long --wait waits; for the task itself there is --attempt-timeout");
    return read_duration("--timeout", command.timeout);
}

void print_accepted(const Io& io, const SubmitOutcome& outcome) {
    if (!io.terminal) {
        io.out << outcome.id.to_string() << '\n';
        return;
    }
    const bool existing = outcome.status == SubmitStatus::Existing;
    io.out << (existing ? "had been submitted before: " : "submitted ")
           << paint(io, Tone::Strong, outcome.id.to_string()) << '\n';
}

Json shape_of(const SubmitOutcome& outcome) {
    return {{"id", outcome.id.to_string()},
            {"status", word_of(outcome.status)},
            {"concurrency_limit", outcome.concurrency_limit ? Json(*outcome.concurrency_limit) : Json()}};
}

ExitCode follow(Session& session, store::ClientStore& store, const SubmitOutcome& outcome,
                std::optional<Duration> timeout) {
    if (!session.globals.json) {
        print_accepted(session.io, outcome);
        session.io.out.flush();
        return report_ending(session.io, await_ending(store, outcome.id, timeout));
    }
    const Ending ending = await_ending(store, outcome.id, timeout);
    Json answer = shape_of(outcome);
    answer.update(to_json_shape(ending));
    session.print(answer);
    return exit_code_of(ending);
}

// Warns that a pod can be submitted, although workers of this version cannot run it.
void note_missing_runner(const Io& io, const Submission& submission) {
    const auto& spec = submission.spec;
    const bool is_pod = spec && (spec->kind == core::TaskKind::Pod || spec->runner == core::ScriptRunner::Pod);
    if (is_pod)
        io.err
            << "holdfast: workers of this version have no runner for pods: the task will wait for a worker with the "
               "tag kubernetes\n";
}

/// Warns when a limit other than the requested one is in force.
void note_other_limit(const Io& io, const Submission& submission, const SubmitOutcome& outcome) {
    const auto& asked = submission.options.concurrency;
    const auto& in_force = outcome.concurrency_limit;
    if (!asked || !in_force || *in_force == asked->limit) return;
    io.err << fmt::format(
        "holdfast: the limit {} is in force for the concurrency key {}, not {}; 'holdfast keys list' shows whether "
        "it "
        "is declared\n",
        *in_force, asked->key, asked->limit);
}

store::NewTask task_of(const Submission& submission, std::string args) {
    if (submission.spec)
        return client::specified_task(submission.name, std::move(args), *submission.spec, submission.options);
    return client::function_task(submission.name, std::move(args), submission.options);
}

// Finds all faults of the command line before it creates a store; only times depend on the store's clock.
ExitCode submit(Session& session, const SubmitCommand& command) {
    const config::Config config = session.load_config();
    std::string args = read_json_argument("--args", command.args, session.io.in);
    Submission submission = read_submission(command.work, config.tasks, args);
    read_submit_options(command.flags, submission.options);
    const auto timeout = read_timeout(command);
    read_times(command.flags, submission.deadline, {}, submission.options);
    store::NewTask task = task_of(submission, std::move(args));

    const auto store = session.open_store(config, Access::CreateAndMigrate);
    read_times(command.flags, submission.deadline, store->now(), submission.options);
    task.run_at = submission.options.run_at;
    task.deadline = submission.options.deadline;
    const auto outcome = client::submit_one(*store, task);
    note_missing_runner(session.io, submission);
    note_other_limit(session.io, submission, outcome);
    if (command.wait) return follow(session, *store, outcome, timeout);
    if (session.globals.json)
        session.print(shape_of(outcome));
    else
        print_accepted(session.io, outcome);
    return ExitCode::Done;
}

}  // namespace

void add_submit(Command& program) {
    auto [command, given] = program.add("submit", "Submit a task; prints its id", submit);
    add_work_options(command, given.work);
    command.text("--args", given.args, "JSON", "Its arguments: JSON, @FILE, or - for standard input (default: null)");
    command.flag("--wait", given.wait, "Wait for its end, and print its result");
    command.text("--timeout", given.timeout, "DURATION", "Wait at most this long");
    add_submit_options(command, given.flags);
}

}  // namespace holdfast::cli
