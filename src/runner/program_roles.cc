#include "runner/program_roles.h"

#include <fcntl.h>
#include <signal.h>

#include <string_view>

#include "holdfast/runner_main.h"
#include "platform/own_program.h"
#include "runner/keeper.h"
#include "runner/roles.h"
#include "runner/runner_process.h"

namespace holdfast::runner {

namespace {
bool was_called = false;

/// What is opened later must not become a standard stream: children are given theirs by number.
void fill_standard_streams() {
    for (const int each : {0, 1, 2})
        if (fcntl(each, F_GETFD) < 0) open("/dev/null", O_RDWR);  // the lowest that is free
}

}  // namespace

bool has_roles() {
    return was_called;
}

}  // namespace holdfast::runner

namespace holdfast {

std::optional<int> runner_main(int argc, char** argv, const FunctionTable& functions) {
    runner::fill_standard_streams();
    signal(SIGCHLD, SIG_DFL);  // ignored, it stays so through exec: the ends of processes would be lost
    const std::string_view role = argc > 1 ? argv[1] : "";
    if (role == runner::keeper_flag) return runner::run_keeper(argc, argv);
    if (role == runner::runner_flag) return runner::run_runner(argc, argv, functions);
    runner::was_called = true;
    platform::own_program();  // now, lest the file be replaced later
    return std::nullopt;
}

}  // namespace holdfast
