#include "proof/bench/store/peer.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "platform/task_ids.h"
#include "proof/bench/driver/queue_driver.h"
#include "proof/bench/store/job_shapes.h"
#include "proof/bench/store/libpq_connection.h"
#include "worker/worker_process.h"

namespace holdfast::bench {

namespace {

using std::chrono::steady_clock;

constexpr const char* fan_args = R"({"fan":1})";

std::string store_url() {
    const char* url = std::getenv("HOLDFAST_BENCH_STORE");
    return url != nullptr ? url : "postgresql:///own";
}

// Deletes the tasks directly; no other process uses the store meanwhile.
void empty_store() {
    const auto url = store_url();
    (void)open_store(store_url());
    if (url.starts_with("sqlite:")) {
        for (const char* suffix : {"", "-wal", "-shm"}) std::remove((url.substr(7) + suffix).c_str());
        return;
    }
    LibpqConnection(url).run(
        "TRUNCATE holdfast.task, holdfast.ready, holdfast.waiting, holdfast.lease, holdfast.ending, "
        "holdfast.attempt, holdfast.job, holdfast.job_progress, holdfast.step");
}

void submit_noops(store::ClientStore& store, std::size_t count) {
    while (count > 0) {
        std::vector<store::NewTask> batch(std::min(count, store::max_batch_rows));
        for (auto& task : batch) task = noop_task(platform::new_task_id());
        store.submit(batch);
        count -= batch.size();
    }
}

/// Submits one by one from `clients` threads. Returns tasks per second.
double submit_for(std::size_t clients, double seconds) {
    std::vector<std::thread> threads;
    std::atomic<std::size_t> submitted = 0;
    const auto until = steady_clock::now() + std::chrono::duration<double>(seconds);
    for (std::size_t client = 0; client < clients; ++client)
        threads.emplace_back([&] {
            const auto store = open_store(store_url());
            while (steady_clock::now() < until) {
                store->submit({noop_task(platform::new_task_id())});
                ++submitted;
            }
        });
    for (auto& thread : threads) thread.join();
    return static_cast<double>(submitted) / seconds;
}

double milliseconds_now() {
    return std::chrono::duration<double, std::milli>(platform::real_clock().now().time_since_epoch()).count();
}

void submit_stamped(store::ClientStore& store) {
    auto task = noop_task(platform::new_task_id());
    task.args = nlohmann::json{{"sent", milliseconds_now()}}.dump();
    store.submit({task});
}

/// A job of so many no-ops, and one step after all of them, which prints "f".
void start_fan(store::ClientStore& store, std::size_t parents) {
    store::NewJob job;
    job.id = platform::new_task_id();
    job.definition = job_definition(JobShape::FanIn, parents, fan_args);
    store.start_jobs({job});
}

std::size_t remaining(store::RecoveryStore& store) {
    store::FindLeasesParams any;
    any.limit = 1;
    std::size_t tasks = store.leases(any).size();
    for (const auto& route : store.backlog()) tasks += static_cast<std::size_t>(route.ready);
    return tasks;
}

class Producer {
public:
    double answer(std::istream& command) {
        std::string word;
        command >> word;
        if (word == "reset") return reset();
        if (word == "bulk") return bulk(command);
        if (word == "enqueue") return enqueue(command);
        if (word == "stamped") return stamped();
        if (word == "fan") return fan(command);
        if (word == "remaining") return static_cast<double>(remaining(*store_));
        throw std::runtime_error("unknown command: " + word);
    }

private:
    double reset() {
        store_.reset();
        empty_store();
        store_ = open_store(store_url());
        return 0;
    }
    double bulk(std::istream& command) {
        std::size_t count = 0;
        command >> count;
        submit_noops(*store_, count);
        return static_cast<double>(count);
    }
    double enqueue(std::istream& command) {
        std::size_t clients = 0;
        double seconds = 0;
        command >> clients >> seconds;
        return submit_for(clients, seconds);
    }
    double fan(std::istream& command) {
        std::size_t parents = 0;
        command >> parents;
        start_fan(*store_, parents);
        return static_cast<double>(parents);
    }
    double stamped() {
        submit_stamped(*store_);
        return 1;
    }

    std::unique_ptr<store::Store> store_ = open_store(store_url());
};

/// The text that a task prints as it starts.
std::string start_line(const nlohmann::json& args) {
    if (args == nlohmann::json::parse(fan_args)) return "f\n";
    if (!args.is_object() || !args.contains("sent")) return "j\n";
    return "l " + std::to_string(milliseconds_now() - args.at("sent").get<double>()) + "\n";
}

/// The functions of the tasks.
void print_starts(const std::vector<store::ClaimedTask>& tasks) {
    std::string lines;
    for (const auto& task : tasks) {
        lines += task.task.args == noop_args ? "j\n" : start_line(nlohmann::json::parse(task.task.args));
    }
    static std::mutex output;
    const std::lock_guard lock(output);
    std::cout << lines << std::flush;
}

struct WorkOptions {
    std::size_t batch = 500;
    std::size_t connections = 1;
    std::size_t until = SIZE_MAX;
    int worker = 0;  ///< a whole worker that runs so many tasks at once; 0: the bare verbs
};

WorkOptions read_options(const std::string& text) {
    const auto json = nlohmann::json::parse(text);
    WorkOptions options;
    options.batch = json.value("batch", options.batch);
    options.connections = json.value("connections", options.connections);
    options.until = json.value("until", options.until);
    options.worker = json.value("worker", options.worker);
    return options;
}

/// A whole worker, with functions in threads, instead of the bare verbs.
int work_through_worker(int concurrency) {
    const FunctionTable functions = {
        {noop_name, [](Context&, const nlohmann::json& args) -> Result<nlohmann::json, TaskError> {
             const std::string line = start_line(args);
             static std::mutex output;
             const std::lock_guard lock(output);
             std::cout << line << std::flush;
             return nlohmann::json(nullptr);
         }}};
    worker::WorkerPlan plan;
    plan.store.url = store_url();
    plan.isolation = Isolation::Thread;
    plan.settings.registration = noop_worker(static_cast<std::size_t>(concurrency));
    plan.announce = [](engine::Announce::What) {};
    platform::LogWriter log(std::cerr, LogFormat::Text, LogLevel::Warning, platform::real_clock());
    return worker::WorkerProcess(std::move(plan), functions, log).run();
}

/// One connection at work: claims, and waits for a wake-up when there is nothing to claim.
void work_on(store::WorkerStore& store, const Uuid& worker, const WorkOptions& options,
             std::atomic<std::size_t>& done) {
    const auto watch = store.watch(store::Topic::Work);
    while (done < options.until) {
        const auto claimed =
            store.turn({.worker = worker, .request = platform::new_task_id(), .to_start = options.batch}).claimed;
        if (claimed.tasks.empty()) {
            watch->wait(std::chrono::seconds(1));
            continue;
        }
        print_starts(claimed.tasks);
        store.turn(completed(worker, claimed.tasks));
        done += claimed.tasks.size();
    }
}

}  // namespace

int produce() {
    Producer producer;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream command(line);
        std::cout << producer.answer(command) << std::endl;
    }
    return 0;
}

int work(const std::string& text) {
    const auto options = read_options(text);
    if (options.worker > 0) {
        std::cout << "r" << std::endl;
        std::string go;
        std::getline(std::cin, go);
        return work_through_worker(options.worker);
    }
    std::vector<std::unique_ptr<store::Store>> stores;
    std::vector<store::WorkerRegistration> workers;
    while (stores.size() < options.connections) {
        stores.push_back(open_store(store_url()));
        workers.push_back(noop_worker(options.batch));
        workers.back().tags = {std::string("task:") + noop_name};
        stores.back()->register_worker(workers.back());
    }
    std::cout << "r" << std::endl;
    std::string go;
    std::getline(std::cin, go);

    std::atomic<std::size_t> done = 0;
    std::vector<std::thread> threads;
    for (std::size_t index = 0; index < stores.size(); ++index)
        threads.emplace_back([&, index] { work_on(*stores[index], workers[index].id, options, done); });
    for (auto& thread : threads) thread.join();
    return 0;
}

}  // namespace holdfast::bench
