#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proof/bench/store/figures.h"
#include "proof/bench/store/queue_driver.h"
#include "proof/bench/store/scratch_database.h"

namespace holdfast::bench {

/// One of the two stores, with what is measured beside it.
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
/// Bulk submit, then claim + start + finish until all is done, for each number of connections: medians over the runs,
/// each on a database of its own, beside the floor in the same minute. Throws when a task is lost or done twice.
[[nodiscard]] std::vector<Figure> measure_cycle(const Subject& subject, const CycleParams& params);

struct ClaimCostParams {
    std::vector<std::size_t> pending = {10'000, 100'000, 1'000'000};
    std::size_t unrunnable = 100'000;
    std::size_t batch = 50;
    std::size_t claims = 100;
};
/// The median time of one claim (with start) of a batch: before growing backlogs, and behind tasks that cannot be
/// run: of another queue, of another tag, in the future, or behind a full concurrency key. Each is compared with the
/// smallest backlog, claim by claim in turns.
[[nodiscard]] std::vector<Figure> measure_claim_cost(const Subject& subject, const ClaimCostParams& params);

struct JobCostParams {
    std::vector<std::size_t> steps = {100, 1000, 10'000};
    std::size_t batch = 50;
    int runs = 3;
};
/// What a step costs in jobs of growing size, to start the job and to carry the step out (claim, start, finish,
/// advance): of independent steps, in a chain; and the finish of the last parent of a fan-in. Each is compared with
/// the smallest job.
[[nodiscard]] std::vector<Figure> measure_job_cost(const Subject& subject, const JobCostParams& params);

struct BeatsParams {
    std::size_t writers = 8;
    std::size_t batch = 1000;
    std::size_t beats = 200;
    std::chrono::milliseconds pause{10};  ///< between two beats
};
/// How long a worker's beat takes beside processes that submit to the same database without a pause: half of them at
/// most so long, all but a hundredth, and the longest. Each is compared with beats of a worker alone, just before.
[[nodiscard]] std::vector<Figure> measure_beats(const Subject& subject, const BeatsParams& params);

}  // namespace holdfast::bench
