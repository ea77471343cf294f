#include <exception>
#include <thread>

#include "base/store_url.h"
#include "base/text.h"
#include "holdfast/errors.h"
#include "holdfast/version.h"
#include "holdfast/worker.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "platform/zone_files.h"
#include "worker/capabilities.h"
#include "worker/worker_process.h"

namespace holdfast {

namespace {

constexpr Duration shortest_fence = std::chrono::seconds(15);

/// Hands lines to the application.
class ApplicationLog : public Log {
public:
    explicit ApplicationLog(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}

    void write(const LogLine& line) override {
        if (sink_ && line.level > LogLevel::Debug) sink_(platform::text_line(line, platform::real_clock().now()));
    }

private:
    std::function<void(std::string_view)> sink_;
};

void require(bool holds, std::string_view complaint) {
    if (!holds) throw BadInput(concat("a worker's ", complaint));
}

void check(const WorkerOptions& options) {
    constexpr Duration none = Duration::zero();
    require(!options.queues.empty(), "queues must not be empty");
    require(options.max_concurrent_tasks >= 1 && options.max_concurrent_tasks <= 10'000,
            "max_concurrent_tasks must be from 1 to 10000");
    require(options.task_timeout > none, "task_timeout must be longer than nothing");
    require(options.heartbeat_interval >= std::chrono::milliseconds(100) &&
                options.heartbeat_interval <= std::chrono::minutes(2),
            "heartbeat_interval must be from 100ms to 2m");
    require(options.shutdown_grace >= none && options.stop_grace >= none, "graces must not be negative");
    require(options.max_tasks_per_runner >= 1, "max_tasks_per_runner must be 1 or more");
}

worker::WorkerPlan plan_for(const std::string& store_url, const FunctionTable& functions,
                            const WorkerOptions& options) {
    worker::WorkerPlan plan;
    plan.store.url = store_url;
    plan.store.limits.max_payload_bytes = options.max_payload_bytes;
    store::WorkerRegistration& registration = plan.settings.registration;
    registration.name = options.name;
    registration.version = HOLDFAST_VERSION;
    registration.queues = options.queues;
    registration.tags =
        worker::detect_capabilities({.isolation = options.isolation, .tags = options.tags}, functions);
    registration.capacity = options.max_concurrent_tasks;
    registration.beat_interval = options.heartbeat_interval;
    registration.fence_after = std::max(shortest_fence, 3 * options.heartbeat_interval);
    plan.settings.task_timeout = options.task_timeout;
    plan.settings.shutdown_grace = options.shutdown_grace;
    plan.settings.stop_grace = options.stop_grace;
    plan.isolation = options.isolation;
    plan.limits.max_tasks_per_runner = options.max_tasks_per_runner;
    plan.limits.memory_bytes = options.runner_memory_limit.value_or(0);
    plan.limits.max_payload = static_cast<std::int64_t>(options.max_payload_bytes);
    plan.limits.pass_env = options.pass_env;
    plan.handles_signals = false;
    if (options.sweeps)
        plan.sweep.emplace().zones = [](const std::string& name) { return platform::read_zone(name); };
    return plan;
}

}  // namespace

class Worker::Body {
public:
    Body(const std::string& store_url, FunctionTable table, const WorkerOptions& options)
        : functions(std::move(table)),
          log(options.log),
          process(plan_for(store_url, functions, options), functions, log) {}

    ~Body() {
        drain();
        if (thread.joinable()) thread.join();
    }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    void drain() {
        if (!std::exchange(is_draining, true)) ask();
    }
    /// Asked a second time, it hurries.
    void ask() { process.ask_to_drain("the application asked it to"); }

    bool is_draining = false;
    const FunctionTable functions;
    ApplicationLog log;
    worker::WorkerProcess process;
    std::thread thread;
    std::exception_ptr failure;  // read after the thread has been joined
};

Worker::Worker(const std::string& store_url, FunctionTable functions, const WorkerOptions& options) {
    check(options);
    (void)client::parse_store_url(store_url);
    body_ = std::make_unique<Body>(store_url, std::move(functions), options);
}
Worker::~Worker() = default;

void Worker::start() {
    if (body_->thread.joinable()) return;
    body_->thread = std::thread([body = body_.get()] {
        try {
            body->process.run();
        } catch (...) {
            body->failure = std::current_exception();
        }
    });
}

void Worker::drain() {
    body_->drain();
}

void Worker::stop() {
    body_->drain();
    body_->ask();
}

void Worker::wait() {
    if (body_->thread.joinable()) body_->thread.join();
    if (body_->failure) std::rethrow_exception(std::exchange(body_->failure, nullptr));
}

}  // namespace holdfast
