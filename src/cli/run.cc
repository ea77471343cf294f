#include "cli/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ostream>

#include "base/text.h"
#include "base/visible_text.h"
#include "cli/session.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

// An application with these commands goes by its own name.
std::string program_name(int argc, const char* const* argv) {
    const std::string path = argc > 0 ? argv[0] : "";
    const std::string name = path.substr(path.find_last_of('/') + 1);
    return name.empty() ? "holdfast" : name;
}

void add_commands(CLI::App& program, Globals& globals, Action& chosen, const std::vector<AddCommand>& more) {
    program.require_subcommand(1);
    program.fallthrough();  // global options may also follow the command
    program.add_option("--store", globals.store, "The store: sqlite:PATH or postgresql://...")->type_name("URL");
    program.add_option("--server", globals.server, "A server to ask instead of a store: http://HOST:PORT")
        ->envname("HOLDFAST_SERVER")
        ->type_name("URL");
    program.add_option("--token", globals.token, "The token for it")->envname("HOLDFAST_TOKEN")->type_name("TOKEN");
    program.add_option("--ca-file", globals.ca_file, "By which its certificate is checked (default: the system's)")
        ->envname("HOLDFAST_CA_FILE")
        ->type_name("FILE");
    program
        .add_option("--config", globals.config, "The configuration file (default: holdfast.yaml, if there is one)")
        ->type_name("FILE");
    program.add_flag("--json", globals.json, "Print JSON, one object a line");
    add_submit(program, chosen);
    add_run(program, chosen);
    add_tasks(program, chosen);
    add_jobs(program, chosen);
    add_schedules(program, chosen);
    add_worker(program, chosen);
    add_workers(program, chosen);
    add_server(program, chosen);
    add_dev(program, chosen);
    add_tokens(program, chosen);
    add_queues(program, chosen);
    add_keys(program, chosen);
    add_recovery(program, chosen);
    add_progress(program, chosen);
    add_checkpoint(program, chosen);
    add_migrate(program, chosen);
    add_config(program, chosen);
    add_doctor(program, chosen);
    for (const AddCommand add : more) add(program, chosen);
    add_completion(program, chosen);
    add_version(program, chosen);
}

ExitCode complain(Io& io, std::string_view sentence, ExitCode code) {
    io.err << "holdfast: " << visible_line(sentence) << '\n';
    return code;
}

// ---- Bad usage ----------------------------------------------------------------------------------

// The command that the line got to: "tasks", after which a word was not understood.
const CLI::App& deepest_command(const CLI::App& program) {
    const auto parsed = program.get_subcommands();
    return parsed.empty() ? program : deepest_command(*parsed.back());
}

std::string path_of(const CLI::App& command) {
    if (command.get_parent() == nullptr) return command.get_name();
    return path_of(*command.get_parent()) + " " + command.get_name();
}

std::vector<std::string> words_of(const CLI::App& command, bool options) {
    std::vector<std::string> words;
    if (!options) {
        for (const auto* child : command.get_subcommands([](const CLI::App*) { return true; }))
            words.push_back(child->get_name());
        return words;
    }
    for (const CLI::App* level = &command; level != nullptr; level = level->get_parent())
        for (const auto* option : level->get_options())
            for (const auto& name : option->get_lnames()) words.push_back("--" + name);
    return words;
}

std::string unexpected_word(const CLI::App& program) {
    const CLI::App& command = deepest_command(program);
    const auto extras = program.remaining(/*recurse=*/true);
    const std::string word = extras.empty() ? "" : extras.front();
    const std::string shown = mask_password(word);
    const std::string path = path_of(command);
    const bool is_option = word.starts_with('-');
    const auto candidates = words_of(command, is_option);
    if (is_option)
        return fmt::format("'{}' has no option {}{}; see '{} --help'", path, shown, suggestion(word, candidates),
                           path);
    if (candidates.empty()) return fmt::format("'{}' does not take '{}'; see '{} --help'", path, shown, path);
    return fmt::format("'{}' is not a command of '{}'{}; see '{} --help'", shown, path, suggestion(word, candidates),
                       path);
}

std::string missing_word(const CLI::App& program, const CLI::ParseError& fault) {
    const CLI::App& command = deepest_command(program);
    const std::string path = path_of(command);
    const auto commands = words_of(command, /*options=*/false);
    if (!commands.empty())
        return fmt::format("'{}' needs one of: {}; see '{} --help'", path, join(commands, ", "), path);
    return fmt::format("'{}': {}; see '{} --help'", path, fault.what(), path);
}

ExitCode report_usage(Io& io, const CLI::App& program, const CLI::ParseError& fault) {
    if (dynamic_cast<const CLI::CallForHelp*>(&fault) != nullptr) {
        io.out << program.help();
        return ExitCode::Done;
    }
    if (!program.remaining(/*recurse=*/true).empty())
        return complain(io, unexpected_word(program), ExitCode::BadUsage);
    if (dynamic_cast<const CLI::RequiredError*>(&fault) != nullptr)
        return complain(io, missing_word(program, fault), ExitCode::BadUsage);
    return complain(io, fmt::format("{}; see '{} --help'", fault.what(), path_of(deepest_command(program))),
                    ExitCode::BadUsage);
}

/// These open a store themselves, or make one: a server cannot stand for it.
constexpr std::array<std::string_view, 6> commands_of_a_store = {"worker",  "server", "dev",
                                                                 "migrate", "demo",   "bench"};

void refuse_server(const CLI::App& program, const Globals& globals) {
    const std::string command = program.get_subcommands().front()->get_name();
    if (globals.server.empty() || std::ranges::find(commands_of_a_store, command) == commands_of_a_store.end())
        return;
    throw BadInput(
        fmt::format("'{} {}' works on a store itself and cannot use the server {}; leave out --server, unset "
                    "HOLDFAST_SERVER, and "
                    "name a store with --store",
                    program.get_name(), command, mask_password(globals.server)));
}

// ---- What goes wrong while a command runs -------------------------------------------------------

ExitCode report_complaints(Io& io, const Complaints& fault) {
    std::istringstream complaints(fault.what());
    for (std::string complaint; std::getline(complaints, complaint);) complain(io, complaint, ExitCode::BadUsage);
    return ExitCode::BadUsage;
}

ExitCode guarded(Io& io, const std::function<ExitCode()>& command) {
    try {
        return command();
    } catch (const Complaints& fault) {
        return report_complaints(io, fault);
    } catch (const UnknownTask& fault) {
        return complain(io, fault.what(), ExitCode::Failed);
    } catch (const UnknownWorker& fault) {
        return complain(io, fault.what(), ExitCode::Failed);
    } catch (const UnknownJob& fault) {
        return complain(io, fault.what(), ExitCode::Failed);
    } catch (const UnknownKey& fault) {
        return complain(io, fault.what(), ExitCode::Failed);
    } catch (const UnknownSchedule& fault) {
        return complain(io, fault.what(), ExitCode::Failed);
    } catch (const PayloadMismatch& fault) {
        return complain(io, fault.what(), ExitCode::Failed);
    } catch (const WrongState& fault) {
        return complain(io, fault.what(), ExitCode::Failed);
    } catch (const BadInput& fault) {
        return complain(io, fault.what(), ExitCode::BadUsage);
    } catch (const CommitInDoubt& fault) {
        return complain(io,
                        fmt::format("{}; look with 'holdfast tasks list' or 'holdfast jobs list' whether it was done",
                                    fault.what()),
                        ExitCode::StoreDown);
    } catch (const Unavailable& fault) {
        return complain(io, fmt::format("{}; nothing was changed", fault.what()), ExitCode::StoreDown);
    } catch (const Full& fault) {
        return complain(io, fmt::format("{}; nothing was changed; make room and try again", fault.what()),
                        ExitCode::StoreDown);
    } catch (const StoreError& fault) {
        return complain(io, fault.what(), ExitCode::StoreDown);
    } catch (const std::exception& fault) {
        return complain(io, fmt::format("this should not have happened: {}; please report it", fault.what()),
                        ExitCode::Failed);
    }
}

// A full disk behind a redirection must not look like success.
ExitCode flushed(Io& io, ExitCode code) {
    io.out.flush();
    if (io.out && io.raw) return code;
    return complain(io, "cannot write to the standard output", std::max(code, ExitCode::Failed));
}

}  // namespace

ExitCode run(int argc, const char* const* argv, Io& io, const FunctionTable& functions,
             const std::vector<AddCommand>& more) {
    CLI::App program("A durable task and workflow engine", program_name(argc, argv));
    Globals globals;
    Action chosen;
    add_commands(program, globals, chosen, more);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& fault) {
        return flushed(io, report_usage(io, program, fault));
    }
    Session session{io, std::move(globals), functions};
    return flushed(io, guarded(io, [&] {
                       refuse_server(program, session.globals);
                       return chosen(session);
                   }));
}

}  // namespace holdfast::cli
