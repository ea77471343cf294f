#include "runner/roles.h"

#include <fcntl.h>
#include <signal.h>

#include <string_view>

#include "holdfast/runner_main.h"
#include "platform/programs.h"

namespace holdfast::runner {

namespace {
bool was_called = false;

/// So that a file opened later does not become a standard stream: children get theirs by number.
void fill_standard_streams() {
    for (const int each : {0, 1, 2})
        if (fcntl(each, F_GETFD) < 0) open("/dev/null", O_RDWR);  // gets the lowest free number
}

}  // namespace

bool has_roles() {
    return was_called;
}

}  // namespace holdfast::runner

namespace holdfast {

std::optional<int> runner_main(int argc, char** argv, const FunctionTable& functions) {
    runner::fill_standard_streams();
    signal(SIGCHLD, SIG_DFL);  // an ignored SIGCHLD survives exec, and then exit statuses are lost
    const std::string_view role = argc > 1 ? argv[1] : "";
    if (role == runner::keeper_flag) return runner::run_keeper(argc, argv);
    if (role == runner::runner_flag) return runner::run_runner(argc, argv, functions);
    runner::was_called = true;
    platform::own_program();  // now: the file may be replaced later
    return std::nullopt;
}

}  // namespace holdfast
