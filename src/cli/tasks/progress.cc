#include <CLI/CLI.hpp>

#include "cli/session.h"
#include "cli/tasks/arguments.h"
#include "cli/tasks/tell_runner.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

struct ProgressCommand {
    std::string fraction;
    std::string text;
};

ExitCode tell_progress(Session& session, const ProgressCommand& command) {
    const double fraction = read_number("FRACTION", command.fraction);
    if (!(fraction >= 0 && fraction <= 1))
        throw BadInput("FRACTION: '" + command.fraction + "' is not within 0 to 1");
    tell_runner(session.io, {.fraction = fraction, .text = command.text, .checkpoint = {}});
    return ExitCode::Done;
}

ExitCode save_checkpoint(Session& session, const std::string& state) {
    tell_runner(session.io,
                {.fraction = {}, .text = {}, .checkpoint = read_json_argument("JSON", state, session.io.in)});
    return ExitCode::Done;
}

}  // namespace

void add_progress(CLI::App& program, Action& chosen) {
    auto given = std::make_shared<ProgressCommand>();
    auto* command = program.add_subcommand("progress", "Inside of a task's script: say how far it has come");
    command->add_option("FRACTION", given->fraction, "0 to 1")->required()->type_name("");
    command->add_option("TEXT", given->text, "What it is doing")->type_name("");
    command->callback(
        [given, &chosen] { chosen = [given](Session& session) { return tell_progress(session, *given); }; });
}

void add_checkpoint(CLI::App& program, Action& chosen) {
    auto state = std::make_shared<std::string>();
    auto* command = program.add_subcommand(
        "checkpoint", "Inside of a task's script: save a state that a later attempt can go on from");
    command->add_option("JSON", *state, "The state: JSON, @FILE, or - for standard input")->required()->type_name("");
    command->callback(
        [state, &chosen] { chosen = [state](Session& session) { return save_checkpoint(session, *state); }; });
}

}  // namespace holdfast::cli
