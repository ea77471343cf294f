#include "tests/runner/functions.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

namespace holdfast::runner {

namespace {

using nlohmann::json;
using Outcome = Result<json, TaskError>;

void nap() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

[[noreturn]] void sleep_for_ever() {
    while (true) pause();
}

/// Starts a process that ignores SIGTERM, has a session of its own, and is nobody's child: it is there on return.
void leave_daemon() {
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0) sleep_for_ever();
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

Outcome wait_for_cancel(Context& context, const json& /*args*/) {
    context.progress(0.5, "waiting");
    while (!context.cancelled()) nap();
    return json("tidied up");
}

Outcome stop_cleanly(Context& context, const json& args) {
    context.progress(0.5, "waiting");
    while (!context.cancelled()) nap();
    context.checkpoint(args);
    throw Stopped{};
}

Outcome complete_anyway(Context& context, const json& /*args*/) {
    context.progress(0.5, "waiting");
    while (!context.cancelled()) nap();
    return context.complete_anyway(json("all of it"));
}

Outcome complete_anyway_then_throw(Context& context, const json& /*args*/) {
    context.progress(0.5, "waiting");
    while (!context.cancelled()) nap();
    context.complete_anyway();
    throw std::runtime_error("burst");
}

/// Never looks whether it is to stop: ends with the process that it waits for.
Outcome wait_for_process(Context& context, const json& /*args*/) {
    const pid_t child = fork();
    if (child == 0) sleep_for_ever();
    context.progress(0.5, "waiting");
    waitpid(child, nullptr, 0);
    throw std::runtime_error("its process was killed");
}

/// Never looks, and ends when the file is there.
Outcome wait_for_file(Context& context, const json& args) {
    context.progress(0.5, "waiting");
    while (access(args.get<std::string>().c_str(), F_OK) != 0) nap();
    return json("there");
}

Outcome print_lines(Context& context, const json& args) {
    std::cout << "from cout\n";
    std::printf("from printf\n");
    std::cerr << "from cerr\n";
    context.log("from log");
    for (int i = 0; i < args.value("more", 0); ++i) std::printf("line %d of a text that is a little longer\n", i);
    return json(nullptr);
}

Outcome ignore_ends_of_children(Context& /*context*/, const json& /*args*/) {
    signal(SIGCHLD, SIG_IGN);
    return json(nullptr);
}

Outcome block_all_signals(Context& context, const json& /*args*/) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    context.progress(0.1, "blocked");
    sleep_for_ever();
}

Outcome eat_memory(Context& /*context*/, const json& /*args*/) {
    std::vector<std::vector<char>> eaten;
    while (true) {
        eaten.emplace_back(1 << 20, 'x');
        nap();
    }
}

}  // namespace

FunctionTable test_functions() {
    FunctionTable functions;
    functions["echo"] = [](Context&, const json& args) -> Outcome { return args; };
    functions["pid"] = [](Context&, const json&) -> Outcome { return json(getpid()); };
    functions["user"] = [](Context&, const json&) -> Outcome { return json(getuid()); };
    functions["refuse"] = [](Context&, const json&) -> Outcome {
        return Failure{TaskError{"NOT_TODAY", "come back tomorrow", R"({"days":1})"}};
    };
    functions["typed"] = make_function<std::map<std::string, int>, int>(
        [](const std::map<std::string, int>& numbers) { return static_cast<int>(numbers.size()); });
    functions["throw"] = [](Context&, const json&) -> Outcome { throw std::runtime_error("burst"); };
    functions["segfault"] = [](Context&, const json&) -> Outcome {
        raise(SIGSEGV);
        return json(nullptr);
    };
    functions["exit"] = [](Context&, const json& args) -> Outcome { _exit(args.get<int>()); };
    functions["environment"] = [](Context&, const json&) -> Outcome {
        json entries = json::array();
        for (char** entry = environ; *entry != nullptr; ++entry) entries.push_back(*entry);
        return entries;
    };
    functions["block"] = block_all_signals;
    functions["ignore ends of children"] = ignore_ends_of_children;
    functions["wait"] = wait_for_cancel;
    functions["stop cleanly"] = stop_cleanly;
    functions["complete anyway"] = complete_anyway;
    functions["complete anyway, then throw"] = complete_anyway_then_throw;
    functions["wait for a process"] = wait_for_process;
    functions["wait for a file"] = wait_for_file;
    functions["throw Stopped"] = [](Context&, const json&) -> Outcome { throw Stopped{}; };
    functions["print"] = print_lines;
    functions["eat"] = eat_memory;
    functions["close"] = [](Context&, const json&) -> Outcome {
        for (int descriptor = 0; descriptor < 3; ++descriptor) close(descriptor);
        return json("closed");
    };
    functions["daemon"] = [](Context&, const json&) -> Outcome {
        leave_daemon();
        return json("left");
    };
    functions["daemon then crash"] = [](Context&, const json&) -> Outcome {
        leave_daemon();
        abort();
    };
    functions["daemon then hang"] = [](Context& context, const json&) -> Outcome {
        leave_daemon();
        context.progress(1, "hanging");
        sleep_for_ever();
    };
    functions["context"] = [](Context& context, const json&) -> Outcome {
        return json{{"id", context.id().to_string()},
                    {"attempt", context.attempt()},
                    {"lease", context.lease()},
                    {"traceparent", context.traceparent()},
                    {"checkpoint", context.last_checkpoint().value_or(nullptr)}};
    };
    functions["checkpoint"] = [](Context& context, const json& args) -> Outcome {
        context.checkpoint(args);
        context.progress(0.25, "saved");
        return json(nullptr);
    };
    return functions;
}

}  // namespace holdfast::runner
