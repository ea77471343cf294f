#include "proof/bench/bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>

#include "cli/session.h"

namespace holdfast::proof {

namespace {

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
        {"isolation", params.isolation == Isolation::Thread ? "thread" : "process"},
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

ExitCode run_bench(Session& session, BenchParams params, const std::string& isolation) {
    params.isolation = isolation == "thread" ? Isolation::Thread : Isolation::Process;
    const ScratchFolder scratch;
    params.store.url = session.globals.store.empty() ? scratch.store_url() : session.globals.store;
    const LatencyFigures latency = measure_latency(params);
    print(session, params, measure_drain(params), latency);
    return ExitCode::Done;
}

ExitCode be_worker(Session& session, BenchParams params, const std::string& isolation) {
    params.isolation = isolation == "thread" ? Isolation::Thread : Isolation::Process;
    params.store.url = session.globals.store;
    return run_bench_worker(params) == 0 ? ExitCode::Done : ExitCode::Failed;
}

struct Given {
    BenchParams params;
    std::string isolation = "process";
    double seconds = 10;
};

void add_common(CLI::App& command, Given& given) {
    command.add_option("--isolation", given.isolation, "Where tasks run: process or thread")
        ->check(CLI::IsMember({"process", "thread"}));
    command.add_option("--concurrency", given.params.concurrency, "How many tasks the worker runs at once")
        ->check(CLI::Range(1, 10'000));
}

}  // namespace

void add_bench(CLI::App& program, Action& chosen) {
    auto* bench = program.add_subcommand("bench", "Measure this machine");
    bench->require_subcommand(1);
    auto given = std::make_shared<Given>();
    auto* run = bench->add_subcommand("run",
                                      "Tasks through a worker: speed, latency, memory; on a new SQLite file, or on "
                                      "the store that --store names, which keeps the tasks");
    add_common(*run, *given);
    run->add_option("--tasks", given->params.tasks, "How many tasks to drain")->check(CLI::Range(1, 10'000'000));
    run->add_option("--rate", given->params.rate, "Tasks per second while latency is measured")
        ->check(CLI::Range(1, 1000));
    run->add_option("--seconds", given->seconds, "For how long")->check(CLI::Range(0.1, 3600.0));
    run->callback([given, &chosen] {
        given->params.span = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(given->seconds));
        chosen = [given](Session& session) { return run_bench(session, given->params, given->isolation); };
    });
    add_bench_chaos(*bench, chosen);
    auto* worker = bench->add_subcommand("worker", "The worker of a benchmark");
    worker->group("");  // not for people
    add_common(*worker, *given);
    worker->callback([given, &chosen] {
        chosen = [given](Session& session) { return be_worker(session, given->params, given->isolation); };
    });
}

}  // namespace holdfast::proof
