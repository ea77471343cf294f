#include <barrier>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <thread>

#include "platform/task_ids.h"
#include "proof/bench/store/measures.h"
#include "store/store.h"

namespace holdfast::bench {

namespace {

using Drivers = std::vector<std::unique_ptr<QueueDriver>>;

std::vector<Uuid> fresh_ids(std::size_t count) {
    std::vector<Uuid> ids(count);
    for (auto& id : ids) id = platform::new_task_id();
    return ids;
}

void submit_share(QueueDriver& driver, std::size_t tasks) {
    while (tasks > 0) {
        const auto batch = std::min(tasks, store::max_batch_rows);
        driver.submit(fresh_ids(batch));
        tasks -= batch;
    }
}

std::size_t drain(QueueDriver& driver, std::size_t batch) {
    std::size_t done = 0;
    while (const auto count = driver.cycle(batch)) done += count;
    return done;
}

/// Runs every driver in its own thread, starting together. Returns the seconds that the slowest took.
double run_together(Drivers& drivers, const std::function<void(QueueDriver&, std::size_t index)>& work) {
    std::barrier start(static_cast<std::ptrdiff_t>(drivers.size()) + 1);
    std::vector<std::exception_ptr> failures(drivers.size());
    std::vector<std::thread> threads;
    for (std::size_t index = 0; index < drivers.size(); ++index)
        threads.emplace_back([&, index] {
            start.arrive_and_wait();
            try {
                work(*drivers[index], index);
            } catch (...) {
                failures[index] = std::current_exception();
            }
        });
    start.arrive_and_wait();
    const auto began = std::chrono::steady_clock::now();
    for (auto& thread : threads) thread.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    for (const auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
    return took.count();
}

struct Rates {
    double submit = 0;
    double cycle = 0;
};

Rates measure_once(Drivers drivers, const CycleParams& params) {
    const auto share = params.tasks / drivers.size();
    const auto tasks = share * drivers.size();
    Rates rates;
    rates.submit = static_cast<double>(tasks) /
                   run_together(drivers, [&](QueueDriver& driver, std::size_t) { submit_share(driver, share); });
    std::vector<std::size_t> done(drivers.size());
    rates.cycle = static_cast<double>(tasks) / run_together(drivers, [&](QueueDriver& driver, std::size_t index) {
                      done[index] = drain(driver, params.batch);
                  });
    std::size_t all = 0;
    for (const auto count : done) all += count;
    if (all != tasks)
        throw std::runtime_error(std::to_string(tasks) + " tasks went in, " + std::to_string(all) + " were done");
    return rates;
}

Rates on_fresh_database(const Subject& subject, bool floor, std::size_t connections, const CycleParams& params) {
    const auto database = subject.make_database();
    Drivers drivers;
    while (drivers.size() < connections)
        drivers.push_back(floor ? subject.make_floor(database->place()) : make_store_driver(database->url()));
    return measure_once(std::move(drivers), params);
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
