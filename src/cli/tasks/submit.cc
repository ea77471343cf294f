#include "cli/tasks/submit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/tasks/waiting.h"
#include "cli/terminal/words.h"
#include "client/operations.h"

namespace holdfast::cli {

namespace {

// ---- The work -------------------------------------------------------------------------------------

Submission from_definition(const config::TaskDefinition& definition, const std::string& args) {
    auto submission = config::submission_of(definition, nlohmann::json::parse(args));
    if (!submission.ok()) throw BadInput(submission.error());
    return std::move(submission).value();
}

/// A task without a definition: a script, a container, or else a function.
Submission from_flags(const WorkFlags& flags) {
    Submission submission{.name = flags.name};
    const bool has_script = !flags.script.empty();
    const bool has_image = !flags.image.empty();
    if (!has_script && !has_image) {
        if (flags.name.empty()) throw BadInput("'holdfast submit' needs the name of a task, --script or --image");
        return submission;
    }
    core::TaskSpec& spec = submission.spec.emplace();
    spec.kind = has_script ? core::TaskKind::Script : core::TaskKind::Docker;
    spec.runner = has_script && has_image ? core::ScriptRunner::Docker : core::ScriptRunner::Local;
    if (flags.name.empty()) submission.name = has_script ? "script" : "container";
    return submission;
}

void override_with(const WorkFlags& flags, core::TaskSpec& spec) {
    if (!flags.script.empty()) spec.script = read_text("--script", flags.script);
    if (!flags.image.empty()) spec.image = flags.image;
    if (!flags.dir.empty()) spec.dir = flags.dir;
    for (const std::string& variable : flags.env) {
        const auto equals = variable.find('=');
        if (equals == std::string::npos || equals == 0)
            throw BadInput(fmt::format("--env: '{}' is not of the form NAME=VALUE", variable));
        spec.env[variable.substr(0, equals)] = variable.substr(equals + 1);
    }
}

bool says_what_to_execute(const WorkFlags& flags) {
    return !flags.script.empty() || !flags.image.empty() || !flags.dir.empty() || !flags.env.empty();
}

// ---- Options of a task ----------------------------------------------------------------------------

using core::OptionType;
using core::TaskOption;

bool is_list(const TaskOption& option) {
    return option.type == OptionType::DurationList || option.type == OptionType::NameList;
}

/// The placeholder of the value in the help.
std::string placeholder(const TaskOption& option) {
    if (option.type == OptionType::Choice) return join(core::offered_words(option), "|");
    if (option.type == OptionType::Count) return "N";
    if (option.type == OptionType::Number) return "X";
    if (option.type == OptionType::Text) return "TEXT";
    return option.type == OptionType::Duration || option.type == OptionType::DurationList ? "DURATION" : "NAME";
}

/// The help text: "How often requeue may run the task again (0 to 1000; default: 3)".
std::string help_of(const TaskOption& option) {
    std::vector<std::string> notes;
    if (option.range.most != 0 && option.type != OptionType::NameList) notes.push_back(core::range_text(option));
    if (is_list(option)) notes.emplace_back("repeatable");
    if (!option.fallback.empty()) notes.push_back(concat("default: ", option.fallback));
    std::string help = core::meaning_with(&TaskOption::flag, option);
    std::erase(help, '`');
    help.pop_back();
    return notes.empty() ? help : concat(help, " (", join(notes, "; "), ')');
}

void add_flag(Command& command, const TaskOption& option, TaskFlag& flag) {
    if (is_list(option))
        command.texts(option.flag.c_str(), flag.texts, placeholder(option).c_str(), help_of(option).c_str());
    else
        command.text(option.flag.c_str(), flag.text, placeholder(option).c_str(), help_of(option));
}

core::OptionValue read_choice(const TaskOption& option, const std::string& text) {
    const auto words = core::offered_words(option);
    const auto word = std::ranges::find(words, lower_case(text));
    if (word == words.end()) refuse_word(option.flag, text, words);
    return *word;
}

core::OptionValue read_flag(const TaskOption& option, const TaskFlag& flag) {
    if (option.type == OptionType::Choice) return read_choice(option, flag.text);
    if (option.type == OptionType::Count) return std::int64_t{read_whole_number(option.flag, flag.text)};
    if (option.type == OptionType::Number) return read_number(option.flag, flag.text);
    if (option.type == OptionType::Duration) return read_duration(option.flag, flag.text);
    if (option.type == OptionType::NameList) return flag.texts;
    if (option.type != OptionType::DurationList) return flag.text;
    std::vector<Duration> durations;
    for (const std::string& text : flag.texts) durations.push_back(read_duration(option.flag, text));
    return durations;
}

// ---- The command ----------------------------------------------------------------------------------

struct SubmitCommand {
    WorkFlags work;
    std::string args = "null";
    SubmitFlags flags;
    WaitFlags wait;
    bool logs = false;
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

/// A name that no definition has is that of a function, or misspelt.
void note_similar_name(const Session& session, const config::Catalog& catalog, const std::string& name) {
    if (catalog.contains(name) || session.functions.contains(name)) return;
    std::vector<std::string> names;
    for (const auto& [known, definition] : catalog) names.push_back(known);
    for (const auto& [known, function] : session.functions) names.push_back(known);
    const auto nearest = nearest_word(name, names);
    if (nearest)
        session.io.err << fmt::format(
            "holdfast: no definition is called {0}, so it is submitted as a function; did you mean '{1}'?\n",
            visible_line(name), *nearest);
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
    const auto timeout = read_timeout({command.wait.wait || command.logs, command.wait.timeout},
                                      "for the task itself there is --attempt-timeout");
    read_times(command.flags, submission.deadline, {}, submission.options);
    store::NewTask task = task_of(submission, std::move(args));

    const auto store = session.open_store(config, Access::CreateAndMigrate);
    read_times(command.flags, submission.deadline, store->now(), submission.options);
    task.run_at = submission.options.run_at;
    task.deadline = submission.options.deadline;
    const auto outcome = client::submit_one(*store, task);
    if (!submission.spec) note_similar_name(session, config.tasks, submission.name);
    note_missing_runner(session.io, submission);
    note_other_limit(session.io, submission, outcome);
    Json answer = shape_of(outcome);
    // With --logs only the output is wanted, and with --wait --json a single object.
    const bool tells_id =
        command.logs ? session.io.terminal && !session.globals.json : !(command.wait.wait && session.globals.json);
    if (tells_id)
        session.tell_id(answer, outcome.id,
                        outcome.status == SubmitStatus::Existing ? "had been submitted before: " : "submitted ");
    if (command.logs) return follow_task(session, *store, outcome.id, timeout, std::move(answer));
    return command.wait.wait ? await_task(session, *store, outcome.id, timeout, std::move(answer)) : ExitCode::Done;
}

}  // namespace

void add_work_options(Command& command, WorkFlags& flags) {
    command.optional_argument("NAME", flags.name,
                              "The task's name: of a definition in the configuration file, or of a function");
    command.text("--script", flags.script, "TEXT", "Run this script, or @FILE, once; NAME is then optional");
    command.text("--image", flags.image, "IMAGE",
                 "Run the script, or without one the image's own command, in a container");
    command.texts("--env", flags.env, "NAME=VALUE", "A variable for the script or container (repeatable)");
    command.text("--dir", flags.dir, "PATH", "The working directory of the script or container");
}

Submission read_submission(const WorkFlags& flags, const config::Catalog& catalog, const std::string& args) {
    const auto definition = catalog.find(flags.name);
    Submission submission =
        definition == catalog.end() ? from_flags(flags) : from_definition(definition->second, args);
    if (submission.spec)
        override_with(flags, *submission.spec);
    else if (says_what_to_execute(flags))
        throw BadInput(fmt::format("task {} is a function: --script, --image, --env and --dir have no meaning for it",
                                   submission.name));
    return submission;
}

void add_submit_options(Command& command, SubmitFlags& flags) {
    command.text("--id", flags.id, "UUID", "A UUID of your own; submitting it again is harmless");
    command.text("--idempotency-key", flags.idempotency_key, "TEXT",
                 "A text that only this task has; works as --id does");
    command.text("--traceparent", flags.traceparent, "TEXT", "The W3C trace context that it belongs to");
    const Option run_at = command.text("--run-at", flags.run_at, "TIME", "Not before this time (RFC 3339, or +30m)");
    command.text("--delay", flags.delay, "DURATION", "Not before this long from now").excludes(run_at);
    command.text("--deadline", flags.deadline, "TIME", "EXPIRED when not started by then (RFC 3339, or +30m)");
    for (std::size_t i = 0; i < flags.options.size(); ++i)
        add_flag(command, core::task_options()[i], flags.options[i]);
}

void read_submit_options(const SubmitFlags& flags, SubmitOptions& options) {
    if (!flags.id.empty()) options.id = read_uuid("--id", flags.id);
    options.idempotency_key = flags.idempotency_key;
    options.traceparent = flags.traceparent;
    for (std::size_t i = 0; i < flags.options.size(); ++i) {
        const TaskFlag& flag = flags.options[i];
        if (flag.text.empty() && flag.texts.empty()) continue;
        const TaskOption& option = core::task_options()[i];
        core::override_with(option, option.flag, read_flag(option, flag), options);
    }
    if (options.concurrency && options.concurrency->key.empty())
        throw BadInput("--concurrency-limit needs --concurrency-key");
}

void read_times(const SubmitFlags& flags, std::optional<Duration> deadline, Timestamp now, SubmitOptions& options) {
    if (deadline) options.deadline = now + *deadline;
    if (!flags.run_at.empty()) options.run_at = read_moment("--run-at", flags.run_at, now);
    if (!flags.delay.empty()) options.run_at = now + read_duration("--delay", flags.delay);
    if (!flags.deadline.empty()) options.deadline = read_moment("--deadline", flags.deadline, now);
}

void add_wait_options(Command& command, WaitFlags& flags, const char* help) {
    command.flag("--wait", flags.wait, help);
    command.text("--timeout", flags.timeout, "DURATION", "Wait at most this long");
}

std::optional<Duration> read_timeout(const WaitFlags& flags, std::string_view instead) {
    if (!flags.wait && !flags.timeout.empty())
        throw BadInput(fmt::format("--timeout says how long --wait waits; {}", instead));
    return read_duration_if_given("--timeout", flags.timeout);
}

void add_submit(Command& program) {
    auto [command, given] = program.add("submit", "Submit a task; prints its id", submit);
    add_work_options(command, given.work);
    command.text("--args", given.args, "JSON", "Its arguments: JSON, @FILE, or - for standard input (default: null)");
    add_wait_options(command, given.wait, "Wait for its end, and print its result");
    command.flag("--logs", given.logs, "Wait for its end, and print what it prints as it comes, not its result");
    add_submit_options(command, given.flags);
    command.examples({"holdfast submit resize --args '{\"file\": \"a.jpg\"}'",
                      "holdfast submit --script 'tar czf /backup/etc.tgz /etc' --attempt-timeout 10m --wait",
                      "holdfast submit report --delay 1h --max-attempts 3 --queue nightly",
                      "holdfast submit --script @convert.sh --logs"});
}

}  // namespace holdfast::cli
