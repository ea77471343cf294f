#include "cli/commands.h"
#include "cli/terminal/words.h"
#include "runner/run_socket.h"

namespace holdfast::cli {

namespace {

struct ProgressCommand {
    std::string fraction;
    std::string text;
};

/// Sends an update to the runner of the task that called this program. Throws BadInput outside of a task, or when the
/// runner refuses the update.
void tell_runner(const Io& io, const runner::RunUpdate& update) {
    const std::string socket = io.variable("HOLDFAST_SOCKET");
    if (socket.empty()) throw BadInput("this works only inside of a running task: HOLDFAST_SOCKET is not set");
    if (const auto refusal = runner::send_to_run(socket, update)) throw BadInput(*refusal);
}

ExitCode tell_progress(Session& session, const ProgressCommand& command) {
    const double fraction = read_number("FRACTION", command.fraction);
    if (!(fraction >= 0 && fraction <= 1))
        throw BadInput("FRACTION: '" + command.fraction + "' is not within 0 to 1");
    tell_runner(session.io, {.fraction = fraction, .text = command.text, .checkpoint = {}});
    return ExitCode::Done;
}

ExitCode save_checkpoint(Session& session, const std::string& state) {
    tell_runner(session.io, {.fraction = {}, .text = {}, .checkpoint = read_json("JSON", state, session.io.in)});
    return ExitCode::Done;
}

}  // namespace

void add_progress(Command& program) {
    auto [command, given] =
        program.add("progress", "Inside of a task's script: say how far it has come", tell_progress);
    command.argument("FRACTION", given.fraction, "0 to 1");
    command.optional_argument("TEXT", given.text, "What it is doing");
}

void add_checkpoint(Command& program) {
    auto [command, state] = program.add(
        "checkpoint", "Inside of a task's script: save a state that a later attempt can go on from", save_checkpoint);
    command.argument("JSON", state, "The state: JSON, @FILE, or - for standard input");
}

}  // namespace holdfast::cli
