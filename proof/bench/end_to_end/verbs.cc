#include "proof/bench/driver/together.h"
#include "proof/bench/end_to_end/measures.h"

namespace holdfast::proof {

std::vector<double> measure_verbs(const VerbsParams& params) {
    bench::Drivers drivers;
    while (drivers.size() < params.connections) drivers.push_back(bench::make_store_driver(params.store.url));
    std::vector<double> rounds;
    while (rounds.size() < params.rounds)
        rounds.push_back(bench::run_load(drivers, {.tasks = params.tasks, .batch = params.batch}).cycle);
    return rounds;
}

}  // namespace holdfast::proof
