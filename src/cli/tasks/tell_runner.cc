#include "cli/tasks/tell_runner.h"

#include <fmt/format.h>

#include "holdfast/errors.h"
#include "runner/run_socket.h"

namespace holdfast::cli {

void tell_runner(const Io& io, const runner::RunUpdate& update) {
    const auto socket = io.environment.find("HOLDFAST_SOCKET");
    if (socket == io.environment.end() || socket->second.empty())
        throw BadInput("this works only inside of a running task: HOLDFAST_SOCKET is not set");
    if (const auto refusal = runner::send_to_run(socket->second, update)) throw BadInput(*refusal);
}

}  // namespace holdfast::cli
