#include <cstdlib>
#include <iostream>

#include "holdfast/runner_main.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "tests/worker/app/functions.h"
#include "tests/worker/app/settings.h"

/// An application with a worker, for the tests beside it. Prints "ready" once the store knows it.
int main(int argc, char** argv) {
    using namespace holdfast;
    const char* path = std::getenv("HOLDFAST_TEST_LEDGER");
    if (path == nullptr) return 2;
    const crew::Ledger ledger(path);
    const FunctionTable functions = worker_test::app_functions(ledger);
    if (const auto exit_code = runner_main(argc, argv, functions)) return *exit_code;
    try {
        platform::LogWriter log(std::cerr, LogFormat::Text, LogLevel::Debug, platform::real_clock());
        worker::WorkerPlan plan = worker_test::plan_from(argc, argv, functions);
        plan.announce = [](engine::Announce::What what) {
            if (what == engine::Announce::What::Ready) std::cout << "ready" << std::endl;
        };
        return worker::WorkerProcess(std::move(plan), functions, log).run();
    } catch (const std::exception& problem) {
        std::cerr << "worker_app: " << problem.what() << std::endl;
        return 1;
    }
}
