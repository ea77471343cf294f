#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>

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

// ---- What the commands have in common -----------------------------------------------------------------------------

/// The store of a measurement: the one that was named, or a new SQLite file.
struct Place {
    explicit Place(const Session& session) {
        if (session.globals.store.empty()) scratch.emplace();
        url = scratch ? scratch->store_url() : session.globals.store;
    }
    std::optional<ScratchFolder> scratch;
    std::string url;
};

/// With --json the figures, else the text.
cli::ExitCode show(Session& session, const nlohmann::json& figures, const std::string& text) {
    session.io.out << (session.globals.json ? figures.dump() + "\n" : text);
    return cli::ExitCode::Done;
}

struct GivenWorker {
    std::string isolation = "process";
    int concurrency = 10;
    bool behind_server = false;
    std::string server = {};
    std::string runner;
};

void add_worker_options(cli::Command& command, GivenWorker& given) {
    command.one_of("--isolation", given.isolation, {"process", "thread"}, "Where tasks run: process or thread");
    command.number_within("--concurrency", given.concurrency, 1, 10'000, "How many tasks a worker runs at once");
    command.flag("--behind-server", given.behind_server, "Each worker behind a server of its own, over HTTP");
    command.text("--runner", given.runner, "COMMAND",
                 "A runner program with the tasks holdfast.noop and holdfast.stamp, instead of functions in C++");
}

BenchWorkerParams worker_params(const GivenWorker& given, const std::string& url) {
    BenchWorkerParams params;
    params.store.url = url;
    params.isolation = parse_word<Isolation>(given.isolation).value();
    params.concurrency = given.concurrency;
    params.behind_server = given.behind_server;
    params.server = given.server;
    params.runner = given.runner;
    return params;
}

Duration span_of(double seconds) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

// ---- drain --------------------------------------------------------------------------------------------------------

struct GivenDrain {
    GivenWorker worker;
    DrainParams params;
};

DrainParams drain_params(const GivenDrain& given, const std::string& url) {
    DrainParams params = given.params;
    params.worker = worker_params(given.worker, url);
    return params;
}

/// Of all rounds together.
double overall_rate(const DrainFigures& figures) {
    double seconds_per_task = 0;
    for (const DrainRound& round : figures.rounds) seconds_per_task += 1 / round.tasks_per_second;
    return static_cast<double>(figures.rounds.size()) / seconds_per_task;
}

/// How the slowest round compares with the first.
double slowest_to_first(const DrainFigures& figures) {
    double slowest = figures.rounds.front().tasks_per_second;
    for (const DrainRound& round : figures.rounds) slowest = std::min(slowest, round.tasks_per_second);
    return slowest / figures.rounds.front().tasks_per_second;
}

nlohmann::json optional_number(const std::optional<double>& number) {
    return number ? nlohmann::json(*number) : nlohmann::json(nullptr);
}

nlohmann::json to_json(const DrainRound& round) {
    return {{"tasks_per_second", round.tasks_per_second},
            {"claims", round.claim_ms.size()},
            {"claim_p50_ms", percentile(round.claim_ms, 0.5)},
            {"claim_p99_ms", percentile(round.claim_ms, 0.99)}};
}

nlohmann::json to_json(const GivenDrain& given, const DrainFigures& figures) {
    auto rounds = nlohmann::json::array();
    for (const DrainRound& round : figures.rounds) rounds.push_back(to_json(round));
    return {{"isolation", given.worker.isolation},
            {"concurrency", given.worker.concurrency},
            {"workers", given.params.workers},
            {"tasks", given.params.tasks},
            {"tasks_per_second", overall_rate(figures)},
            {"rounds", rounds},
            {"slowest_to_first", slowest_to_first(figures)},
            {"worker_mb", figures.worker_mb},
            {"runner_mb", optional_number(figures.runner_mb)}};
}

std::string memory_line(const DrainFigures& figures) {
    return fmt::format("memory     worker {:.1f} MiB", figures.worker_mb) +
           (figures.runner_mb ? fmt::format(", idle runner {:.1f} MiB each\n", *figures.runner_mb) : "\n");
}

cli::ExitCode run_drain(Session& session, const GivenDrain& given) {
    const Place place(session);
    const DrainFigures figures = measure_drain(drain_params(given, place.url));
    std::string text;
    for (const DrainRound& round : figures.rounds)
        text += fmt::format("drain      {:.0f} tasks/s ({} tasks); a claim: p50 {:.2f} ms, p99 {:.2f} ms\n",
                            round.tasks_per_second, given.params.tasks, percentile(round.claim_ms, 0.5),
                            percentile(round.claim_ms, 0.99));
    return show(session, to_json(given, figures), text + memory_line(figures));
}

void add_backlog_size(cli::Command& command, std::size_t& tasks) {
    command.number_within("--tasks", tasks, 1, 10'000'000, "How many tasks to drain");
}

void add_rounds(cli::Command& command, std::size_t& rounds) {
    command.number_within("--rounds", rounds, 1, 1000, "How often, one after the other in the same database");
}

void add_bench_drain(cli::Command& bench) {
    auto [drain, given] = bench.add("drain", "How fast workers process a backlog", run_drain);
    add_worker_options(drain, given.worker);
    add_backlog_size(drain, given.params.tasks);
    add_rounds(drain, given.params.rounds);
    drain.number_within("--workers", given.params.workers, 1, 100, "How many workers");
}

// ---- latency ------------------------------------------------------------------------------------------------------

struct GivenLatency {
    GivenWorker worker;
    double rate = 50;
    double seconds = 10;
};

LatencyFigures latency_of(const GivenLatency& given, const std::string& url) {
    return measure_latency(
        {.worker = worker_params(given.worker, url), .rate = given.rate, .span = span_of(given.seconds)});
}

std::string latency_line(const LatencyFigures& figures, double rate) {
    return fmt::format(
        "latency    p50 {:.2f} ms, p99 {:.2f} ms from submit to the first instruction, at {:.0f} tasks/s\n",
        percentile(figures.milliseconds, 0.5), percentile(figures.milliseconds, 0.99), rate);
}

cli::ExitCode run_latency(Session& session, const GivenLatency& given) {
    const Place place(session);
    const LatencyFigures figures = latency_of(given, place.url);
    return show(session,
                {{"isolation", given.worker.isolation},
                 {"concurrency", given.worker.concurrency},
                 {"rate", given.rate},
                 {"rate_reached", figures.rate},
                 {"latency_p50_ms", percentile(figures.milliseconds, 0.5)},
                 {"latency_p99_ms", percentile(figures.milliseconds, 0.99)}},
                latency_line(figures, figures.rate));
}

void add_rate(cli::Command& command, GivenLatency& given) {
    command.number_within("--rate", given.rate, 1, 10'000, "Tasks per second while latency is measured");
    command.number_within("--seconds", given.seconds, 0.1, 3600.0, "How long latency is measured");
}

void add_bench_latency(cli::Command& bench) {
    auto [latency, given] =
        bench.add("latency", "The time from the submit to the first instruction, at a steady rate", run_latency);
    add_worker_options(latency, given.worker);
    add_rate(latency, given);
}

// ---- run: latency, drain and memory -------------------------------------------------------------------------------

struct GivenRun {
    GivenLatency latency;
    std::size_t tasks = 20'000;
};

cli::ExitCode run_bench(Session& session, const GivenRun& given) {
    const Place place(session);
    const GivenWorker& worker = given.latency.worker;
    const LatencyFigures latency = latency_of(given.latency, place.url);
    const DrainFigures drain = measure_drain({.worker = worker_params(worker, place.url), .tasks = given.tasks});
    const double drained = overall_rate(drain);
    return show(session,
                {{"isolation", worker.isolation},
                 {"concurrency", worker.concurrency},
                 {"tasks", given.tasks},
                 {"tasks_per_second", drained},
                 {"latency_p50_ms", percentile(latency.milliseconds, 0.5)},
                 {"latency_p99_ms", percentile(latency.milliseconds, 0.99)},
                 {"rate", given.latency.rate},
                 {"worker_mb", drain.worker_mb},
                 {"runner_mb", optional_number(drain.runner_mb)}},
                fmt::format("isolation {}, {} at once\n", worker.isolation, worker.concurrency) +
                    fmt::format("drain      {:.0f} tasks/s ({} tasks)\n", drained, given.tasks) +
                    latency_line(latency, given.latency.rate) + memory_line(drain));
}

void add_bench_run(cli::Command& bench) {
    auto [run, given] = bench.add("run",
                                  "Tasks through a worker: speed, latency, memory; on a new SQLite file, or on "
                                  "the store that --store names, which keeps the tasks",
                                  run_bench);
    add_worker_options(run, given.latency.worker);
    add_backlog_size(run, given.tasks);
    add_rate(run, given.latency);
}

// ---- submit -------------------------------------------------------------------------------------------------------

struct GivenSubmit {
    SubmitParams params;
    std::string as = "threads";
    double seconds = 3;
};

SubmitParams submit_params(const GivenSubmit& given, const std::string& url) {
    SubmitParams params = given.params;
    params.store.url = url;
    params.submitters = given.as == "threads" ? Submitters::Threads : Submitters::Processes;
    params.span = span_of(given.seconds);
    return params;
}

cli::ExitCode run_submits(Session& session, const GivenSubmit& given) {
    const Place place(session);
    const double rate = measure_submits(submit_params(given, place.url));
    return show(session,
                {{"clients", given.params.clients},
                 {"as", given.as},
                 {"batch", given.params.batch},
                 {"tasks_per_second", rate}},
                fmt::format("submit     {:.0f} tasks/s ({} {}, {} per call)\n", rate, given.params.clients, given.as,
                            given.params.batch));
}

void add_submit_options(cli::Command& command, GivenSubmit& given) {
    command.number_within("--batch", given.params.batch, 1, static_cast<int>(store::max_batch_rows),
                          "Tasks per call");
    command.number_within("--seconds", given.seconds, 0.1, 3600.0, "For how long");
}

void add_bench_submit(cli::Command& bench) {
    auto [submit, given] = bench.add("submit", "How many tasks per second clients submit", run_submits);
    add_submit_options(submit, given);
    submit.number_within("--clients", given.params.clients, 1, 1000, "How many clients");
    submit.one_of("--as", given.as, {"threads", "processes"},
                  "threads: of one process, which share one Client; processes: each has its own");
}

/// Started by the benchmarks, not by people.
void add_bench_submitter(cli::Command& bench) {
    auto [submitter, given] = bench.add(
        "submitter", "A client of a benchmark",
        std::function<cli::ExitCode(Session&, const GivenSubmit&)>([](Session& session, const GivenSubmit& params) {
            run_submitter(submit_params(params, session.globals.store));
            return cli::ExitCode::Done;
        }));
    add_submit_options(submitter, given);
    submitter.hide();
}

// ---- verbs --------------------------------------------------------------------------------------------------------

cli::ExitCode run_verbs(Session& session, const VerbsParams& given) {
    const Place place(session);
    VerbsParams params = given;
    params.store.url = place.url;
    const std::vector<double> rounds = measure_verbs(params);
    std::string text;
    for (const double rate : rounds) text += fmt::format("verbs      {:.0f} tasks/s\n", rate);
    return show(session,
                {{"connections", given.connections},
                 {"batch", given.batch},
                 {"tasks", given.tasks},
                 {"rounds", rounds},
                 {"last_to_first", rounds.back() / rounds.front()}},
                text);
}

void add_bench_verbs(cli::Command& bench) {
    auto [verbs, given] =
        bench.add("verbs", "How fast a backlog is claimed, started and finished without a worker", run_verbs);
    verbs.number_within("--connections", given.connections, 1, 100, "How many connections");
    verbs.number_within("--batch", given.batch, 1, static_cast<int>(store::max_batch_rows), "Tasks per claim");
    add_backlog_size(verbs, given.tasks);
    add_rounds(verbs, given.rounds);
}

// ---- chain --------------------------------------------------------------------------------------------------------

struct GivenChain {
    GivenWorker worker;
    std::size_t steps = 1000;
};

cli::ExitCode run_chain(Session& session, const GivenChain& given) {
    const Place place(session);
    const double step = measure_chain({.worker = worker_params(given.worker, place.url), .steps = given.steps});
    return show(session, {{"isolation", given.worker.isolation}, {"steps", given.steps}, {"step_ms", step}},
                fmt::format("chain      {:.3f} ms per step ({} steps)\n", step, given.steps));
}

void add_bench_chain(cli::Command& bench) {
    auto [chain, given] = bench.add("chain", "The time of a step of a job whose steps follow each other", run_chain);
    add_worker_options(chain, given.worker);
    chain.number_within("--steps", given.steps, 1, 10'000, "How many steps");
}

// ---- worker -------------------------------------------------------------------------------------------------------

cli::ExitCode be_worker(Session& session, const GivenWorker& given) {
    const int code = run_bench_worker(worker_params(given, session.globals.store));
    return code == 0 ? cli::ExitCode::Done : cli::ExitCode::Failed;
}

/// Started by the benchmarks, not by people.
void add_bench_worker(cli::Command& bench) {
    auto [worker, given] = bench.add("worker", "The worker of a benchmark", be_worker);
    add_worker_options(worker, given);
    worker.text("--behind", given.server, "URL", "The server that it is behind");
    worker.hide();
}

}  // namespace

void add_bench(cli::Command& program) {
    program.group("bench", "Measure this machine",
                  {add_bench_run, add_bench_drain, add_bench_latency, add_bench_submit, add_bench_verbs,
                   add_bench_chain, add_bench_chaos, add_bench_worker, add_bench_submitter});
}

}  // namespace holdfast::proof
