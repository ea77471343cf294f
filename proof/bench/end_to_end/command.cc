#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <ostream>

#include "cli/session.h"
#include "proof/bench/end_to_end/measures.h"
#include "proof/commands.h"

namespace holdfast::proof {

namespace {

using cli::Session;

/// A directory for one benchmark's SQLite file, removed with it.
class ScratchFolder {
public:
    ScratchFolder() : path_((std::filesystem::temp_directory_path() / "holdfast-bench-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr) throw BadInput("cannot make a directory in the temporary directory");
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    [[nodiscard]] std::string store_url() const { return "sqlite:" + path_ + "/bench.db"; }

private:
    std::string path_;
};

double percentile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) return 0;
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void print(Session& session, const BenchParams& params, const DrainFigures& drain, const LatencyFigures& latency) {
    const nlohmann::json figures = {
        {"isolation", word_of(params.isolation)},
        {"concurrency", params.concurrency},
        {"tasks", params.tasks},
        {"tasks_per_second", drain.tasks_per_second},
        {"latency_p50_ms", percentile(latency.milliseconds, 0.5)},
        {"latency_p99_ms", percentile(latency.milliseconds, 0.99)},
        {"rate", params.rate},
        {"worker_mb", drain.worker_mb},
        {"runner_mb", drain.runner_mb ? nlohmann::json(*drain.runner_mb) : nlohmann::json(nullptr)}};
    if (session.globals.json) {
        session.io.out << figures.dump() << '\n';
        return;
    }
    session.io.out
        << fmt::format("isolation {}, {} at once\n", figures["isolation"].get<std::string>(), params.concurrency)
        << fmt::format("drain      {:.0f} tasks/s ({} tasks)\n", drain.tasks_per_second, params.tasks)
        << fmt::format(
               "latency    p50 {:.2f} ms, p99 {:.2f} ms from submit to the first instruction, at {:.0f} tasks/s\n",
               percentile(latency.milliseconds, 0.5), percentile(latency.milliseconds, 0.99), params.rate)
        << fmt::format("memory     worker {:.1f} MiB", drain.worker_mb)
        << (drain.runner_mb ? fmt::format(", idle runner {:.1f} MiB each\n", *drain.runner_mb) : "\n");
}

struct Given {
    BenchParams params;
    std::string isolation = "process";
    double seconds = 10;
};

BenchParams params_of(const Given& given, const std::string& store) {
    BenchParams params = given.params;
    params.isolation = parse_word<Isolation>(given.isolation).value();
    params.span = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(given.seconds));
    params.store.url = store;
    return params;
}

cli::ExitCode run_bench(cli::Session& session, const Given& given) {
    const ScratchFolder scratch;
    const BenchParams params =
        params_of(given, session.globals.store.empty() ? scratch.store_url() : session.globals.store);
    const LatencyFigures latency = measure_latency(params);
    print(session, params, measure_drain(params), latency);
    return cli::ExitCode::Done;
}

cli::ExitCode be_worker(cli::Session& session, const Given& given) {
    const int code = run_bench_worker(params_of(given, session.globals.store));
    return code == 0 ? cli::ExitCode::Done : cli::ExitCode::Failed;
}

void add_common(cli::Command& command, Given& given) {
    command.one_of("--isolation", given.isolation, {"process", "thread"}, "Where tasks run: process or thread");
    command.number_within("--concurrency", given.params.concurrency, 1, 10'000,
                          "How many tasks the worker runs at once");
}

void add_bench_run(cli::Command& bench) {
    auto [run, given] = bench.add("run",
                                  "Tasks through a worker: speed, latency, memory; on a new SQLite file, or on "
                                  "the store that --store names, which keeps the tasks",
                                  run_bench);
    add_common(run, given);
    run.number_within("--tasks", given.params.tasks, 1, 10'000'000, "How many tasks to drain");
    run.number_within("--rate", given.params.rate, 1, 1000, "Tasks per second while latency is measured");
    run.number_within("--seconds", given.seconds, 0.1, 3600.0, "For how long");
}

/// Started by the benchmarks, not by people.
void add_bench_worker(cli::Command& bench) {
    auto [worker, given] = bench.add("worker", "The worker of a benchmark", be_worker);
    add_common(worker, given);
    worker.hide();
}

}  // namespace

void add_bench(cli::Command& program) {
    program.group("bench", "Measure this machine", {add_bench_run, add_bench_chaos, add_bench_worker});
}

}  // namespace holdfast::proof
