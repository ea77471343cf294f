#include "proof/bench/recovery/functions.h"

#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "platform/real_clock.h"
#include "proof/crew/ledger.h"

namespace holdfast::bench {

namespace {

Result<nlohmann::json, TaskError> run(Context& context, const nlohmann::json& args) {
    const crew::Ledger ledger(args.at("ledger").get<std::string>());
    ledger.append({.task = context.id(),
                   .lease = context.lease(),
                   .attempt = context.attempt(),
                   .pid = getpid(),
                   .at = platform::real_clock().now()});
    const bool is_first = context.attempt() == 1 && !args.value("returns", false);
    while (is_first && !context.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return nlohmann::json(nullptr);
}

}  // namespace

const FunctionTable& recovery_functions() {
    static const FunctionTable functions = {{run_task, run}};
    return functions;
}

}  // namespace holdfast::bench
