#include "proof/bench/driver/together.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <thread>

#include "platform/task_ids.h"
#include "store/store.h"

namespace holdfast::bench {

namespace {

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

/// Runs every driver in its own thread, starting together. Returns the seconds from the first start to the last end.
double run_together(Drivers& drivers, const std::function<void(QueueDriver&, std::size_t index)>& work) {
    using std::chrono::steady_clock;
    struct Run {
        steady_clock::time_point began, ended;
        std::exception_ptr failure;
    };
    std::barrier start(static_cast<std::ptrdiff_t>(drivers.size()));
    std::vector<Run> runs(drivers.size());
    std::vector<std::thread> threads;
    for (std::size_t index = 0; index < drivers.size(); ++index)
        threads.emplace_back([&, index] {
            Run& run = runs[index];
            start.arrive_and_wait();
            run.began = steady_clock::now();
            try {
                work(*drivers[index], index);
            } catch (...) {
                run.failure = std::current_exception();
            }
            run.ended = steady_clock::now();
        });
    for (auto& thread : threads) thread.join();
    auto began = runs.front().began, ended = runs.front().ended;
    for (const Run& run : runs) {
        if (run.failure) std::rethrow_exception(run.failure);
        began = std::min(began, run.began);
        ended = std::max(ended, run.ended);
    }
    return std::chrono::duration<double>(ended - began).count();
}

}  // namespace

LoadRates run_load(Drivers& drivers, const Load& load) {
    const auto share = load.tasks / drivers.size();
    const auto tasks = share * drivers.size();
    LoadRates rates;
    rates.submit = static_cast<double>(tasks) /
                   run_together(drivers, [&](QueueDriver& driver, std::size_t) { submit_share(driver, share); });
    std::vector<std::size_t> done(drivers.size());
    rates.cycle = static_cast<double>(tasks) / run_together(drivers, [&](QueueDriver& driver, std::size_t index) {
                      done[index] = drain(driver, load.batch);
                  });
    std::size_t all = 0;
    for (const auto count : done) all += count;
    if (all != tasks)
        throw std::runtime_error(std::to_string(tasks) + " tasks went in, " + std::to_string(all) + " were done");
    return rates;
}

}  // namespace holdfast::bench
