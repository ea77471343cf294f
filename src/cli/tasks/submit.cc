#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/tasks/submit_flags.h"
#include "cli/tasks/waiting.h"
#include "cli/terminal/words.h"
#include "client/operations.h"

namespace holdfast::cli {

namespace {

struct SubmitCommand {
    WorkFlags work;
    std::string args = "null";
    SubmitFlags flags;
    WaitFlags wait;
};

Json shape_of(const SubmitOutcome& outcome) {
    return {{"id", outcome.id.to_string()},
            {"status", word_of(outcome.status)},
            {"concurrency_limit", outcome.concurrency_limit ? Json(*outcome.concurrency_limit) : Json()}};
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
        "it is declared\n",
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
    std::string args = read_json("--args", command.args, session.io.in);
    Submission submission = read_submission(command.work, config.tasks, args);
    read_submit_options(command.flags, submission.options);
    const auto timeout = read_timeout(command.wait, "for the task itself there is --attempt-timeout");
    read_times(command.flags, submission.deadline, {}, submission.options);
    store::NewTask task = task_of(submission, std::move(args));

    const auto store = session.open_store(config, Access::CreateAndMigrate);
    read_times(command.flags, submission.deadline, store->now(), submission.options);
    task.run_at = submission.options.run_at;
    task.deadline = submission.options.deadline;
    const auto outcome = client::submit_one(*store, task);
    note_missing_runner(session.io, submission);
    note_other_limit(session.io, submission, outcome);
    Json answer = shape_of(outcome);
    if (!command.wait.wait || !session.globals.json)
        session.tell_id(answer, outcome.id,
                        outcome.status == SubmitStatus::Existing ? "had been submitted before: " : "submitted ");
    return command.wait.wait ? await_task(session, *store, outcome.id, timeout, std::move(answer)) : ExitCode::Done;
}

}  // namespace

void add_submit(Command& program) {
    auto [command, given] = program.add("submit", "Submit a task; prints its id", submit);
    add_work_options(command, given.work);
    command.text("--args", given.args, "JSON", "Its arguments: JSON, @FILE, or - for standard input (default: null)");
    add_wait_options(command, given.wait, "Wait for its end, and print its result");
    add_submit_options(command, given.flags);
}

}  // namespace holdfast::cli
