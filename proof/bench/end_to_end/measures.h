#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/connect.h"
#include "holdfast/function.h"
#include "holdfast/worker.h"
#include "proof/crew/process.h"

namespace holdfast::proof {

// End-to-end measurements: tasks through real worker processes, and submits through the public client.

inline constexpr const char* noop_task = "holdfast.noop";
inline constexpr const char* stamp_task = "holdfast.stamp";
inline constexpr const char* bench_queue = "holdfast-bench";

// ---- The worker ---------------------------------------------------------------------------------------------------

struct BenchWorkerParams {
    client::ConnectParams store;
    Isolation isolation = Isolation::Process;
    int concurrency = 10;
    bool behind_server = false;  ///< each worker behind a server of its own, over HTTP on loopback
    std::string server = {};     ///< of the process itself: the URL of that server; empty: it has the store in hand
    std::string runner = {};     ///< the command of a runner program with the tasks, instead of functions in C++
};

/// A call by which a worker claimed at least one task. The worker may finish others in the same call.
struct ClaimTime {
    Timestamp ended;
    double milliseconds = 0;
};

/// A worker for benchmarks, in a process of its own, ready and idle.
class BenchWorker {
public:
    /// Starts it, and waits until it is ready. Throws std::runtime_error.
    explicit BenchWorker(const BenchWorkerParams& params);
    /// Drains it, and waits until it has left.
    ~BenchWorker();
    BenchWorker(const BenchWorker&) = delete;
    BenchWorker& operator=(const BenchWorker&) = delete;

    [[nodiscard]] double memory_mb() const;                 ///< of the worker itself: proportional set size
    [[nodiscard]] std::optional<double> runner_mb() const;  ///< of one idle runner, on average; nullopt: threads

    /// Drains it, waits until it has left, and returns its claims, oldest first. To be called once.
    [[nodiscard]] std::vector<ClaimTime> leave();

private:
    BenchWorker(const BenchWorkerParams& params, std::string url);

    std::optional<crew::Process> server_;  // ends after the worker
    crew::Process process_;
};

/// The body of that process, `holdfast bench worker`. Returns its exit code.
[[nodiscard]] int run_bench_worker(const BenchWorkerParams& params);

// ---- The measures -------------------------------------------------------------------------------------------------

/// Sorted values, such as milliseconds.
using Distribution = std::vector<double>;
/// The value that this share of the others does not exceed; 0 when there are none.
[[nodiscard]] double percentile(const Distribution& sorted, double share);

struct DrainParams {
    BenchWorkerParams worker;
    std::size_t workers = 1;
    std::size_t tasks = 20'000;  ///< of each round
    std::size_t rounds = 1;
};
struct DrainRound {
    double tasks_per_second = 0;
    Distribution claim_ms;
};
struct DrainFigures {
    std::vector<DrainRound> rounds;
    double worker_mb = 0;             ///< on average
    std::optional<double> runner_mb;  ///< of the first worker
};
/// How fast ready workers process a backlog of no-ops. All rounds have the same workers and database.
[[nodiscard]] DrainFigures measure_drain(const DrainParams& params);

struct LatencyParams {
    BenchWorkerParams worker;
    double rate = 50;  ///< tasks per second
    Duration span = std::chrono::seconds(10);
};
struct LatencyFigures {
    Distribution milliseconds;  ///< from the call of submit to the first instruction
    double rate = 0;            ///< that was reached
};
[[nodiscard]] LatencyFigures measure_latency(const LatencyParams& params);

enum class Submitters { Threads, Processes };
struct SubmitParams {
    client::ConnectParams store;
    Submitters submitters = Submitters::Threads;  ///< threads share one client
    std::size_t clients = 1;
    std::size_t batch = 1;  ///< tasks per call
    Duration span = std::chrono::seconds(3);
};
/// How many tasks per second the clients submit, one call after the other.
[[nodiscard]] double measure_submits(const SubmitParams& params);
/// One client of it, `holdfast bench submitter`: prints "ready", reads a line, submits, prints its tasks per second.
void run_submitter(const SubmitParams& params);

struct VerbsParams {
    client::ConnectParams store;
    std::size_t connections = 2;
    std::size_t batch = 1000;
    std::size_t tasks = 100'000;  ///< of each round
    std::size_t rounds = 3;
};
/// How many tasks per second the verbs of the store claim, start and finish, in each round, without a worker.
[[nodiscard]] std::vector<double> measure_verbs(const VerbsParams& params);

struct ChainParams {
    BenchWorkerParams worker;
    std::size_t steps = 1000;
};
/// Milliseconds per step of a job whose steps run one after the other, from its start to its end.
[[nodiscard]] double measure_chain(const ChainParams& params);

}  // namespace holdfast::proof
