#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "base/text.h"
#include "config/config.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "platform/system_random.h"
#include "proof/bench/end_to_end/measures.h"
#include "proof/chaos/chaos_task.h"
#include "proof/commands.h"
#include "proof/crew/processes.h"
#include "server/remote/remote_worker_store.h"
#include "store/relay_store.h"
#include "worker/worker_process.h"

namespace holdfast::proof {

namespace {

constexpr const char* ready = "ready";

double proportional_mb(int pid) {
    std::ifstream file(concat("/proc/", pid, "/smaps_rollup"));
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("Pss:")) return std::stod(line.substr(4)) / 1024;
    return 0;
}

/// The claims of a worker, which has one or two connections.
class ClaimLog {
public:
    void add(double milliseconds) {
        const std::lock_guard lock(mutex_);
        claims_.push_back({platform::real_clock().now(), milliseconds});
    }
    /// One line each. To be called when the worker has left.
    void print(std::ostream& out) const {
        for (const ClaimTime& claim : claims_)
            out << claim.ended.time_since_epoch().count() << ' ' << claim.milliseconds << '\n';
        out.flush();
    }

private:
    std::mutex mutex_;
    std::vector<ClaimTime> claims_;
};

std::optional<ClaimTime> read_claim(const std::string& line) {
    std::istringstream words(line);
    Timestamp::duration::rep ended = 0;
    ClaimTime claim;
    if (!(words >> ended >> claim.milliseconds)) return std::nullopt;
    claim.ended = Timestamp(Timestamp::duration(ended));
    return claim;
}

/// The store of a worker, with its claims written down.
class ClaimTimingStore final : public store::RelayStore<ClaimTimingStore> {
public:
    ClaimTimingStore(std::unique_ptr<store::Store> store, ClaimLog& log) : store_(std::move(store)), log_(log) {}

    std::unique_ptr<store::Watch> watch(store::Topic topic) override { return store_->watch(topic); }
    [[nodiscard]] std::string describe() const override { return store_->describe(); }
    [[nodiscard]] std::int64_t rank() const override { return store_->rank(); }

    store::TurnAnswer turn(const store::TurnParams& params) override {
        const auto began = std::chrono::steady_clock::now();
        store::TurnAnswer answer = store_->turn(params);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
        if (!answer.claimed.tasks.empty()) log_.add(took.count());
        return answer;
    }

    template <typename Call>
    auto relay(const char* /*verb*/, store::Effect /*effect*/, const Call& call) {
        return call(*store_);
    }

private:
    const std::unique_ptr<store::Store> store_;
    ClaimLog& log_;
};

/// Starts a server, and stores its URL in `url`.
std::optional<crew::Process> start_server(const BenchWorkerParams& params, std::string& url) {
    if (!params.behind_server) return std::nullopt;
    crew::Process server({.command = {"holdfast", "server", "--store", params.store.url, "--port", "0"},
                          .program = crew::own_program,
                          .output = crew::Stream::Piped});
    while (url.empty()) {
        const auto line = server.read_line();
        if (!line) throw std::runtime_error("the server of the benchmark did not start");
        const std::size_t at = line->find("http://");
        if (at != std::string::npos) url = line->substr(at, line->find_first_of(" \n", at) - at);
    }
    return server;
}

std::vector<std::string> command_of(const BenchWorkerParams& params, const std::string& server) {
    std::vector<std::string> command = {"holdfast",
                                        "bench",
                                        "worker",
                                        "--store",
                                        params.store.url,
                                        "--isolation",
                                        std::string(word_of(params.isolation)),
                                        "--concurrency",
                                        std::to_string(params.concurrency)};
    if (!params.runner.empty()) command.insert(command.end(), {"--runner", params.runner});
    if (!server.empty()) command.insert(command.end(), {"--behind", server});
    return command;
}

}  // namespace

const FunctionTable& bench_functions() {
    static const FunctionTable functions = {
        {noop_task,
         [](Context&, const nlohmann::json&) -> Result<nlohmann::json, TaskError> {
             return nlohmann::json(nullptr);
         }},
        {stamp_task,
         [](Context&, const nlohmann::json&) -> Result<nlohmann::json, TaskError> {
             return nlohmann::json(platform::real_clock().now().time_since_epoch().count());
         }},
        *chaos::chaos_functions().begin()};
    return functions;
}

BenchWorker::BenchWorker(const BenchWorkerParams& params) : BenchWorker(params, std::string()) {}

BenchWorker::BenchWorker(const BenchWorkerParams& params, std::string url)
    : server_(start_server(params, url)),
      process_({.command = command_of(params, url), .program = crew::own_program, .output = crew::Stream::Piped}) {
    if (process_.read_line() != ready) throw std::runtime_error("the worker of the benchmark did not start");
}

BenchWorker::~BenchWorker() {
    if (process_.has_ended()) return;
    try {
        (void)leave();
    } catch (const std::exception&) {
        // It does not answer: the end of the process object kills it.
        return;
    }
}

std::vector<ClaimTime> BenchWorker::leave() {
    process_.send(SIGTERM);
    std::vector<ClaimTime> claims;
    while (const auto line = process_.read_line())
        if (const auto claim = read_claim(*line)) claims.push_back(*claim);
    process_.dismiss();
    return claims;
}

double BenchWorker::memory_mb() const {
    return proportional_mb(process_.pid());
}

std::optional<double> BenchWorker::runner_mb() const {
    double sum = 0;
    int runners = 0;
    for (const int keeper : crew::children_of(process_.pid()))
        for (const int runner : crew::children_of(keeper)) {
            sum += proportional_mb(runner);
            ++runners;
        }
    if (runners == 0) return std::nullopt;
    return sum / runners;
}

int run_bench_worker(const BenchWorkerParams& params) {
    ClaimLog claims;
    worker::WorkerPlan plan;
    plan.store = params.store;
    plan.connect = [&claims](const client::ConnectParams& to) {
        return std::make_unique<ClaimTimingStore>(client::connect(to), claims);
    };
    platform::LogWriter log(std::cerr, LogFormat::Text, LogLevel::Warning, platform::real_clock());
    platform::SystemRandom random;
    if (!params.server.empty()) {
        const auto servers =
            std::make_shared<remote::WorkServers>(remote::WorkServers::Params{.urls = {params.server}}, random, log);
        plan.connect_to_server = [servers] {
            return std::make_unique<remote::RemoteWorkerStore>(servers, platform::real_clock());
        };
    }
    plan.isolation = params.isolation;
    plan.settings.registration.name = "bench";
    plan.settings.registration.queues = {bench_queue};
    plan.settings.registration.capacity = params.concurrency;
    static const FunctionTable none;
    const FunctionTable& functions = params.runner.empty() ? bench_functions() : none;
    if (!params.runner.empty()) plan.runners = {params.runner};
    for (const auto& [name, function] : functions) plan.settings.registration.tags.push_back("task:" + name);
    plan.announce = [](engine::Announce::What what) {
        if (what == engine::Announce::What::Ready) std::cout << ready << std::endl;
    };
    const int exit_code = worker::WorkerProcess(std::move(plan), functions, log).run();
    claims.print(std::cout);
    return exit_code;
}

}  // namespace holdfast::proof
