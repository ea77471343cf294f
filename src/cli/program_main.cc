#include "cli/program_main.h"

#include <fmt/format.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <sstream>
#include <system_error>

#include "base/text.h"
#include "cli/commands.h"
#include "holdfast/app.h"
#include "holdfast/runner_main.h"
#include "platform/programs.h"
#include "runner/roles.h"
#include "server/remote/witness.h"

namespace holdfast::cli {

namespace {

// The name of the program; an application with these commands uses its own.
std::string program_name(int argc, const char* const* argv) {
    const std::string path = argc > 0 ? argv[0] : "";
    const std::string name = path.substr(path.find_last_of('/') + 1);
    return name.empty() ? "holdfast" : name;
}

void add_globals(Command& program, Globals& globals) {
    program.text("--store", globals.store, "URL", "The store: sqlite:PATH or postgresql://...");
    program.text("--server", globals.server, "URL", "A server to ask instead of a store: http://HOST:PORT")
        .environment("HOLDFAST_SERVER");
    program.text("--token", globals.token, "TOKEN", "The token for it").environment("HOLDFAST_TOKEN");
    program.text("--ca-file", globals.ca_file, "FILE", "By which its certificate is checked (default: the system's)")
        .environment("HOLDFAST_CA_FILE");
    program.text("--config", globals.config, "FILE",
                 "The configuration file (default: holdfast.yaml, if there is one)");
    program.flag("--json", globals.json, "Print JSON, one object a line");
    program.flag("--wide", globals.wide, "Print whole tables, however narrow the terminal is");
    program.flag("--utc", globals.utc, "Print the times in tables in UTC, not how long ago they were");
}

ExitCode complain(Io& io, std::string_view sentence, ExitCode code) {
    io.err << "holdfast: " << visible_line(sentence) << '\n';
    return code;
}

/// Commands that open or create a store themselves, so that a server cannot replace it.
constexpr std::array<std::string_view, 8> commands_of_a_store = {"server",  "dev",   "migrate", "backup",
                                                                 "restore", "check", "demo",    "bench"};

void refuse_server(const std::string& program, const std::string& command, const Globals& globals) {
    if (globals.server.empty() || std::ranges::find(commands_of_a_store, command) == commands_of_a_store.end())
        return;
    throw BadInput(
        fmt::format("'{} {}' works on a store itself and cannot use the server {}; leave out --server, unset "
                    "HOLDFAST_SERVER, and name a store with --store",
                    program, command, mask_password(globals.server)));
}

// ---- Errors while a command runs ----------------------------------------------------------------

ExitCode report_complaints(Io& io, const Complaints& fault) {
    std::istringstream complaints(fault.what());
    for (std::string complaint; std::getline(complaints, complaint);) complain(io, complaint, ExitCode::BadUsage);
    return ExitCode::BadUsage;
}

template <typename... Kinds>
bool is_any_of(const std::exception& fault) {
    return (... || (dynamic_cast<const Kinds*>(&fault) != nullptr));
}

std::string explain(const std::exception& fault) {
    const auto* failure = dynamic_cast<const std::system_error*>(&fault);
    if (failure != nullptr && failure->code() == std::errc::resource_unavailable_try_again)
        return fmt::format(
            "cannot start a process or thread ({}): raise the limit of this user ('ulimit -u') or of its "
            "container, or end other processes",
            fault.what());
    return fmt::format("this should not have happened: {}; please report it", fault.what());
}

constexpr std::string_view no_change = "nothing was changed";

ExitCode guarded(Io& io, const std::function<ExitCode()>& command) {
    try {
        return command();
    } catch (const Complaints& fault) {
        return report_complaints(io, fault);
    } catch (const BadInput& fault) {
        const bool was_attempted = is_any_of<NotFound, UnknownTask, UnknownJob, PayloadMismatch, WrongState>(fault);
        return complain(io, fault.what(), was_attempted ? ExitCode::Failed : ExitCode::BadUsage);
    } catch (const CommitInDoubt& fault) {
        return complain(io,
                        fmt::format("{}; look with 'holdfast tasks list' or 'holdfast jobs list' whether it was done",
                                    fault.what()),
                        ExitCode::StoreDown);
    } catch (const Unavailable& fault) {
        const std::string_view what = fault.what();
        const bool says_so = what.find(no_change) != what.npos;  // a server's own sentence
        return complain(io, says_so ? std::string(what) : fmt::format("{}; {}", what, no_change),
                        ExitCode::StoreDown);
    } catch (const Full& fault) {
        return complain(io, fmt::format("{}; {}; make room and try again", fault.what(), no_change),
                        ExitCode::StoreDown);
    } catch (const StoreError& fault) {
        return complain(io, fault.what(), ExitCode::StoreDown);
    } catch (const std::exception& fault) {
        return complain(io, explain(fault), ExitCode::Failed);
    }
}

// Flushes the output, so that a full disk behind a redirection is reported as an error.
ExitCode flushed(Io& io, ExitCode code) {
    io.out.flush();
    if (io.out && io.raw) return code;
    return complain(io, "cannot write to the standard output", std::max(code, ExitCode::Failed));
}

/// Runs one command line. Every error becomes one sentence on `io.err` and an
/// exit code; exceptions do not escape. `more` adds commands to those of this
/// folder.
ExitCode run(int argc, const char* const* argv, Io& io, const FunctionTable& functions,
             const std::vector<AddCommand>& more) {
    const std::string name = program_name(argc, argv);
    Program program(name, "A durable task and workflow engine", version_line);
    Globals globals;
    add_globals(program.root(), globals);
    add_commands(program.root(), more);
    const Reading line = program.read({argv + std::min(argc, 1), argv + argc});
    if (!line.fault.empty()) return flushed(io, complain(io, line.fault, ExitCode::BadUsage));
    if (!line.action) {
        io.out << line.text;
        return flushed(io, ExitCode::Done);
    }
    Session session{io, std::move(globals), functions};
    return flushed(io, guarded(io, [&] {
                       refuse_server(name, line.command, session.globals);
                       return line.action(session);
                   }));
}

std::map<std::string, std::string> environment_of(char** variables) {
    std::map<std::string, std::string> environment;
    for (; *variables != nullptr; ++variables) {
        const std::string_view entry = *variables;
        const auto equals = entry.find('=');
        if (equals != std::string_view::npos) environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return environment;
}

/// Other users of the machine can read the arguments (`ps`). Replaces tokens and the passwords of URLs in them.
void hide_secrets(int argc, char** argv) {
    constexpr std::string_view token = "--token";
    for (int i = 1; i < argc; ++i) {
        const std::string_view text = argv[i];
        const bool follows_token = argv[i - 1] == token;
        const bool has_token = follows_token || text.starts_with("--token=");
        const std::string hidden = follows_token ? "***" : has_token ? "--token=***" : mask_password(text);
        if (hidden == text) continue;
        const std::size_t size = text.size();
        explicit_bzero(argv[i], size);
        hidden.copy(argv[i], size);
    }
}

}  // namespace

int program_main(int argc, char** argv, const FunctionTable& functions, ProgramExtras extras) {
    extras.functions.insert(functions.begin(), functions.end());
    if (argc > 1 && argv[1] == runner::witness_flag) return remote::run_witness(runner::witness_file);
    if (const auto exit_code = runner_main(argc, argv, extras.functions)) return *exit_code;
    // A file that may not grow further (ulimit -f) is reported like a full disk, instead of killing the program.
    std::signal(SIGXFSZ, SIG_IGN);
    VisibleStream out(std::cout), err(std::cerr);
    std::vector<std::string> words(argv, argv + argc);
    hide_secrets(argc, argv);
    Io io{.in = std::cin,
          .out = out,
          .err = err,
          .raw = std::cout,
          .environment = environment_of(environ),
          .terminal = isatty(STDOUT_FILENO) == 1};
    return static_cast<int>(run(argc, platform::exec_vector(words).data(), io, functions, extras.commands));
}

}  // namespace holdfast::cli

namespace holdfast {

int App::main(int argc, char** argv) {
    return cli::program_main(argc, argv, functions_);
}

}  // namespace holdfast
