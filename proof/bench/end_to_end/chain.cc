#include <chrono>
#include <stdexcept>

#include "holdfast/client.h"
#include "holdfast/workflow.h"
#include "proof/bench/end_to_end/measures.h"

namespace holdfast::proof {

namespace {

Workflow chain_of(std::size_t steps) {
    Workflow workflow("bench-chain");
    std::string last;
    for (std::size_t number = 1; number <= steps; ++number) {
        const std::string name = "s" + std::to_string(number);
        auto step = workflow.step(name, noop_task, nullptr);
        step.queue(bench_queue);
        if (!last.empty()) step.after({last});
        last = name;
    }
    return workflow;
}

}  // namespace

double measure_chain(const ChainParams& params) {
    Client client(params.worker.store.url);
    const BenchWorker worker(params.worker);
    const Workflow chain = chain_of(params.steps);
    const auto began = std::chrono::steady_clock::now();
    const JobInfo job = client.wait(client.run(chain));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    if (job.state != JobState::Completed) throw std::runtime_error("the job of the benchmark did not complete");
    return took.count() / static_cast<double>(params.steps);
}

}  // namespace holdfast::proof
