#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proof/bench/driver/queue_driver.h"
#include "proof/bench/store/figures.h"
#include "proof/bench/store/scratch_database.h"

namespace holdfast::bench {

/// One of the two stores, with its floor.
struct Subject {
    std::string store;  ///< "sqlite", "postgres"
    std::function<std::unique_ptr<ScratchDatabase>()> make_database;
    std::function<std::unique_ptr<QueueDriver>(const std::string& place)> make_floor;
};

struct CycleParams {
    std::size_t tasks = 100'000;
    std::size_t batch = 500;
    std::vector<std::size_t> connections = {1, 2, 8};
    int runs = 3;
};
/// Bulk submit, then claim + start + finish until all tasks are done, for each number of connections: medians over
/// the runs, each on its own database, with the floor measured in the same minute. Throws when a task is lost or done
/// twice.
[[nodiscard]] std::vector<Figure> measure_cycle(const Subject& subject, const CycleParams& params);

struct ClaimCostParams {
    std::vector<std::size_t> pending = {10'000, 100'000, 1'000'000};
    std::size_t unrunnable = 100'000;
    std::size_t batch = 50;
    std::size_t claims = 100;
};
/// The median time of one claim (with start) of a batch: with growing backlogs, and behind tasks that cannot run
/// because of their queue, tag, start time or full concurrency key. Each is compared with the smallest backlog, claim
/// by claim.
[[nodiscard]] std::vector<Figure> measure_claim_cost(const Subject& subject, const ClaimCostParams& params);

struct JobCostParams {
    std::vector<std::size_t> steps = {100, 1000, 10'000};
    std::size_t batch = 50;
    int runs = 3;
};
/// The cost of a step in jobs of growing size, for starting the job and for executing the step (claim, start, finish,
/// advance): with independent steps and in a chain; and the finish of the last parent of a fan-in. Each is compared
/// with the smallest job.
[[nodiscard]] std::vector<Figure> measure_job_cost(const Subject& subject, const JobCostParams& params);

struct BeatsParams {
    std::size_t writers = 8;
    std::size_t batch = 1000;
    std::size_t beats = 200;
    std::chrono::milliseconds pause{10};  ///< between two beats
};
/// The time of a worker's beat while other processes submit to the same database without a pause: median, 99th
/// percentile and maximum. Each is compared with the beats of a worker alone, measured just before.
[[nodiscard]] std::vector<Figure> measure_beats(const Subject& subject, const BeatsParams& params);

}  // namespace holdfast::bench
