#include "tests/worker/app/functions.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::worker_test {

namespace {

using nlohmann::json;
using Outcome = Result<json, TaskError>;

void nap(int milliseconds = 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

[[noreturn]] void sleep_for_ever() {
    while (true) pause();
}

/// Returns its arguments, after "ms" milliseconds.
Outcome note(Context&, const json& args) {
    if (args.is_object() && args.contains("ms")) nap(args["ms"].get<int>());
    return args;
}

/// Goes on until the file "gate" is there.
Outcome hold(Context&, const json& args) {
    const std::string gate = args.at("gate").get<std::string>();
    while (access(gate.c_str(), F_OK) != 0) nap();
    return json("let go");
}

/// Goes on until it is asked to stop.
Outcome heed(Context& context, const json&) {
    while (!context.cancelled()) nap();
    return Failure{TaskError{"HEEDED", "stopped because it was asked to", ""}};
}

Outcome list_environment(Context&, const json&) {
    json entries = json::array();
    for (char** entry = environ; *entry != nullptr; ++entry) entries.push_back(*entry);
    return entries;
}

/// Works until it is asked to stop, and returns what it has.
Outcome give_part(Context& context, const json&) {
    while (!context.cancelled()) nap();
    return json("a part");
}

/// The same, and says that its result is complete.
Outcome give_all(Context& context, const json&) {
    while (!context.cancelled()) nap();
    return context.complete_anyway(json("all of it"));
}

/// Works until it is asked to stop, saves how far it has come and stops cleanly. The next run goes on from there, and
/// ends.
Outcome go_on_later(Context& context, const json&) {
    if (const auto saved = context.last_checkpoint()) return json{{"went on from", *saved}};
    while (!context.cancelled()) nap();
    context.checkpoint("page 7");
    throw Stopped{};
}

Outcome eat_memory(Context&, const json&) {
    std::vector<std::vector<char>> eaten;
    while (true) eaten.emplace_back(4 << 20, 'x');
}

void ignore_sigterm_for_ever() {
    signal(SIGTERM, SIG_IGN);
    sleep_for_ever();
}

/// Grandchildren that ignore SIGTERM: one in the run's group, one in its own session, one that is an
/// orphan.
void leave_grandchildren() {
    if (fork() == 0) ignore_sigterm_for_ever();
    if (fork() == 0) {
        setsid();
        ignore_sigterm_for_ever();
    }
    const pid_t between = fork();
    if (between == 0) {
        setsid();
        if (fork() == 0) ignore_sigterm_for_ever();
        _exit(0);
    }
    waitpid(between, nullptr, 0);
}

Outcome leave_and_return(Context&, const json&) {
    leave_grandchildren();
    return json("left");
}

Outcome leave_and_hold(Context& context, const json& args) {
    leave_grandchildren();
    return hold(context, args);
}

/// Prints "bytes" as fast as the reader takes them.
Outcome flood(Context&, const json& args) {
    const std::string line(99, 'f');
    const std::string text = line + '\n';
    for (std::int64_t left = args.at("bytes").get<std::int64_t>(); left > 0;
         left -= static_cast<std::int64_t>(text.size()))
        if (write(STDOUT_FILENO, text.data(), text.size()) < 0) throw std::runtime_error("cannot print");
    return json("printed");
}

Outcome close_streams(Context&, const json&) {
    for (int descriptor = 0; descriptor < 3; ++descriptor) close(descriptor);
    return json("closed");
}

Outcome block_signals(Context&, const json&) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    sleep_for_ever();
}

[[noreturn]] void multiply() {
    signal(SIGTERM, SIG_IGN);
    while (true) {
        if (fork() == 0) setsid();
        usleep(100);
    }
}

Outcome fork_bomb(Context&, const json&) {
    multiply();
}

/// Writes the begin and the end of the run to the ledger.
Function noted(const crew::Ledger& ledger, const Function& body) {
    return [ledger, body](Context& context, const json& args) -> Outcome {
        crew::LedgerLine line{
            .task = context.id(), .lease = context.lease(), .attempt = context.attempt(), .pid = getpid()};
        ledger.append(line);
        Outcome outcome = body(context, args);
        line.mark = crew::Mark::Done;
        ledger.append(line);
        return outcome;
    };
}

FunctionTable bare_functions() {
    return {
        {"note", note},
        {"hold", hold},
        {"heed", heed},
        {"give part", give_part},
        {"give all", give_all},
        {"go on later", go_on_later},
        {"throw Stopped", [](Context&, const json&) -> Outcome { throw Stopped{}; }},
        {"eat", eat_memory},
        {"leave", leave_and_return},
        {"leave and hold", leave_and_hold},
        {"flood", flood},
        {"close", close_streams},
        {"deaf", block_signals},
        {"bomb", fork_bomb},
        {"environment", list_environment},
        {"throw", [](Context&, const json&) -> Outcome { throw std::runtime_error("burst"); }},
        {"segfault",
         [](Context&, const json&) -> Outcome {
             raise(SIGSEGV);
             return json();
         }},
        {"_exit", [](Context&, const json& args) -> Outcome { _exit(args.get<int>()); }},
        {"exit", [](Context&, const json& args) -> Outcome { std::exit(args.get<int>()); }},
        {"garbage", [](Context&, const json&) -> Outcome { return json("\xff\xfe"); }},
        {"nul", [](Context&, const json&) -> Outcome { return json(std::string("a\0b", 3)); }},
        {"garbage error",
         [](Context&, const json&) -> Outcome {
             return Failure{TaskError{"BAD", "\xff\xfe", ""}};
         }},
    };
}

}  // namespace

FunctionTable app_functions(const crew::Ledger& ledger) {
    FunctionTable functions = bare_functions();
    for (auto& [name, function] : functions) function = noted(ledger, function);
    return functions;
}

}  // namespace holdfast::worker_test
