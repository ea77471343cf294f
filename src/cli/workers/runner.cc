#include "base/text.h"
#include "cli/commands.h"
#include "core/json_text.h"
#include "platform/programs.h"
#include "runner/program_check.h"

namespace holdfast::cli {

namespace {

struct CheckFlags {
    std::vector<std::string> command;
    std::string task, args = "null", stop_args, patience = "5s";
};

/// As the shell reads it back: one word may be a whole command line.
std::string command_line(const std::vector<std::string>& words) {
    if (words.size() == 1) return words.front();
    std::vector<std::string> quoted;
    for (const std::string& word : words) {
        std::string text = "'";
        for (const char each : word) text += each == '\'' ? std::string("'\\''") : std::string(1, each);
        quoted.push_back(text + "'");
    }
    return join(quoted, " ");
}

void check_json(const char* flag, const std::string& text) {
    if (const auto fault = core::json_fault(text)) throw BadInput(concat(flag, ": ", fault->where, fault->problem));
}

ExitCode check_runner(Session& session, const CheckFlags& flags) {
    const auto patience = parse_duration(flags.patience, std::chrono::seconds(1));
    if (!patience || *patience <= Duration::zero())
        throw BadInput(concat("--patience: '", flags.patience, "' is not a duration such as 5s"));
    check_json("--args", flags.args);
    if (!flags.stop_args.empty()) check_json("--stop-args", flags.stop_args);
    if (flags.task.empty() && (flags.args != "null" || !flags.stop_args.empty()))
        throw BadInput("--args and --stop-args need --task: which task they are for");
    const runner::ProgramCheckParams params{.program = {.command = command_line(flags.command),
                                                        .max_payload = std::int64_t{1} << 20,
                                                        .environment = platform::environment_with({})},
                                            .patience = *patience,
                                            .task = flags.task,
                                            .args = flags.args,
                                            .stop_args = flags.stop_args};
    const bool is_right = runner::check_program(params, [&](const runner::ProgramCheckStep& step) {
        session.tell(Json{{"rule", step.rule}, {"fault", step.fault ? Json(*step.fault) : Json(nullptr)}},
                     step.fault ? concat("WRONG  ", step.rule, "\n       The program ", visible_line(*step.fault))
                                : concat("ok     ", step.rule));
    });
    return is_right ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace

void add_runner(Command& runner) {
    auto [command, given] =
        runner.add("check", "Drive a runner program through its protocol, and say what it does wrong", check_runner);
    command.arguments("COMMAND", given.command, "The program, after --: -- python3 -m holdfast shop.tasks:app");
    command.text("--task", given.task, "NAME", "A task of the program that may be run (default: none is)");
    command.text("--args", given.args, "JSON", "The arguments of its runs, which must complete (default: null)");
    command.text("--stop-args", given.stop_args, "JSON",
                 "The arguments of a run that lasts until it is asked to stop (default: this is not checked)");
    command.text("--patience", given.patience, "TIME", "How long each answer may take (default: 5s)");
}

}  // namespace holdfast::cli
