#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/connect.h"
#include "holdfast/function.h"
#include "holdfast/worker.h"
#include "proof/crew/process.h"

namespace holdfast::proof {

// End-to-end measurements: tasks through a real worker process.

inline constexpr const char* noop_task = "holdfast.noop";
inline constexpr const char* stamp_task = "holdfast.stamp";

struct BenchParams {
    client::ConnectParams store;
    Isolation isolation = Isolation::Process;
    int concurrency = 10;
    std::size_t tasks = 20'000;  ///< of the drain
    double rate = 50;            ///< tasks per second, of the latency
    Duration span = std::chrono::seconds(10);
};

/// A worker for benchmarks, in a process of its own, ready and idle.
class BenchWorker {
public:
    /// Starts it, and waits until it is ready. Throws std::runtime_error.
    explicit BenchWorker(const BenchParams& params);
    /// Drains it, and waits until it has left.
    ~BenchWorker();
    BenchWorker(const BenchWorker&) = delete;
    BenchWorker& operator=(const BenchWorker&) = delete;

    [[nodiscard]] double memory_mb() const;                 ///< of the worker itself: proportional set size
    [[nodiscard]] std::optional<double> runner_mb() const;  ///< of one idle runner, on average; nullopt: threads

private:
    crew::Process process_;
};

/// The body of that process, `holdfast bench worker`. Returns its exit code.
[[nodiscard]] int run_bench_worker(const BenchParams& params);

struct DrainFigures {
    double tasks_per_second = 0;
    double worker_mb = 0;
    std::optional<double> runner_mb;
};
[[nodiscard]] DrainFigures measure_drain(const BenchParams& params);

struct LatencyFigures {
    std::vector<double> milliseconds;  ///< from the call of submit to the first instruction, sorted
};
[[nodiscard]] LatencyFigures measure_latency(const BenchParams& params);

}  // namespace holdfast::proof
