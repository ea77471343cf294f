#include "proof/bench/driver/together.h"
#include "proof/bench/store/measures.h"
#include "store/store.h"

namespace holdfast::bench {

namespace {

LoadRates on_fresh_database(const Subject& subject, bool floor, std::size_t connections, const CycleParams& params) {
    const auto database = subject.make_database();
    Drivers drivers;
    while (drivers.size() < connections)
        drivers.push_back(floor ? subject.make_floor(database->place()) : make_store_driver(database->url()));
    return run_load(drivers, {.tasks = params.tasks, .batch = params.batch});
}

}  // namespace

std::vector<Figure> measure_cycle(const Subject& subject, const CycleParams& params) {
    std::vector<Figure> figures;
    for (const auto connections : params.connections) {
        std::vector<double> submit, submit_floor, cycle, cycle_floor;
        for (int run = 0; run < params.runs; ++run) {
            const auto floor = on_fresh_database(subject, true, connections, params);
            const auto ours = on_fresh_database(subject, false, connections, params);
            submit_floor.push_back(floor.submit);
            cycle_floor.push_back(floor.cycle);
            submit.push_back(ours.submit);
            cycle.push_back(ours.cycle);
        }
        const auto who = ", " + std::to_string(connections) + (connections == 1 ? " connection" : " connections");
        figures.push_back({subject.store, "bulk submit", "batch " + std::to_string(store::max_batch_rows) + who,
                           median(submit), "tasks/s", median(submit_floor)});
        figures.push_back({subject.store, "claim + start + finish", "batch " + std::to_string(params.batch) + who,
                           median(cycle), "tasks/s", median(cycle_floor)});
    }
    return figures;
}

}  // namespace holdfast::bench
