#include <fstream>
#include <iostream>
#include <stdexcept>

#include "base/text.h"
#include "config/config.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "proof/bench/end_to_end/measures.h"
#include "proof/chaos/chaos_task.h"
#include "proof/commands.h"
#include "proof/crew/processes.h"
#include "worker/worker_process.h"

namespace holdfast::proof {

namespace {

constexpr const char* ready = "ready";

double proportional_mb(int pid) {
    std::ifstream file(concat("/proc/", pid, "/smaps_rollup"));
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("Pss:")) return std::stod(line.substr(4)) / 1024;
    return 0;
}

}  // namespace

const FunctionTable& bench_functions() {
    static const FunctionTable functions = {
        {noop_task,
         [](Context&, const nlohmann::json&) -> Result<nlohmann::json, TaskError> {
             return nlohmann::json(nullptr);
         }},
        {stamp_task,
         [](Context&, const nlohmann::json&) -> Result<nlohmann::json, TaskError> {
             return nlohmann::json(platform::real_clock().now().time_since_epoch().count());
         }},
        *chaos::chaos_functions().begin()};
    return functions;
}

BenchWorker::BenchWorker(const BenchParams& params)
    : process_(
          {.command = {"holdfast", "bench", "worker", "--store", params.store.url, "--isolation",
                       std::string(word_of(params.isolation)), "--concurrency", std::to_string(params.concurrency)},
           .program = crew::own_program,
           .output = crew::Stream::Piped}) {
    if (process_.read_line() != ready) throw std::runtime_error("the worker of the benchmark did not start");
}

BenchWorker::~BenchWorker() {
    process_.dismiss();
}

double BenchWorker::memory_mb() const {
    return proportional_mb(process_.pid());
}

std::optional<double> BenchWorker::runner_mb() const {
    double sum = 0;
    int runners = 0;
    for (const int keeper : crew::children_of(process_.pid()))
        for (const int runner : crew::children_of(keeper)) {
            sum += proportional_mb(runner);
            ++runners;
        }
    if (runners == 0) return std::nullopt;
    return sum / runners;
}

int run_bench_worker(const BenchParams& params) {
    worker::WorkerPlan plan;
    plan.store = params.store;
    plan.isolation = params.isolation;
    plan.settings.registration.name = "bench";
    plan.settings.registration.queues = {"holdfast-bench"};
    plan.settings.registration.capacity = params.concurrency;
    for (const auto& [name, function] : bench_functions()) plan.settings.registration.tags.push_back("task:" + name);
    plan.announce = [](engine::Announce::What what) {
        if (what == engine::Announce::What::Ready) std::cout << ready << std::endl;
    };
    platform::LogWriter log(std::cerr, LogFormat::Text, LogLevel::Warning, platform::real_clock());
    return worker::WorkerProcess(std::move(plan), bench_functions(), log).run();
}

}  // namespace holdfast::proof
