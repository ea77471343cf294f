#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/function.h"
#include "holdfast/time.h"

namespace holdfast {

/// Where a worker runs functions.
enum class Isolation {
    Process,  ///< each in a process of its own: a crash does not affect other tasks, and it can be killed
    Thread,   ///< in threads of the worker: the fastest, for code that is trusted to return without crashing
};

/// The options of a worker inside the application, which `holdfast worker` reads from its configuration.
struct WorkerOptions {
    std::string name = {};  ///< empty: the name of the host
    std::vector<std::string> queues = {"default"};
    std::vector<std::string> tags = {};  ///< beside those of its functions and its isolation
    int max_concurrent_tasks = 10;
    Duration task_timeout = std::chrono::minutes(5);        ///< of tasks without one of their own
    Duration heartbeat_interval = std::chrono::seconds(3);  ///< how often it proves to the store that it is alive
    Duration shutdown_grace = std::chrono::seconds(30);     ///< how long running tasks may continue after drain()
    Duration stop_grace = std::chrono::seconds(5);          ///< between asking a task to stop and killing it
    std::size_t max_payload_bytes = 1 << 20;                ///< of a result or a checkpoint
    /// Process: also runs scripts. The program must begin with runner_main() (holdfast/runner_main.h), and create the
    /// Worker before its first thread.
    Isolation isolation = Isolation::Thread;
    int max_tasks_per_runner = 1000;                       ///< Process: a runner is replaced after this many
    std::optional<std::int64_t> runner_memory_limit = {};  ///< Process: bytes; unset: none
    /// Process: the names of this process's environment variables that scripts get beside PATH, HOME, LANG and TZ.
    /// Named here, variables that are otherwise withheld from functions (HOLDFAST_STORE, HOLDFAST_TOKEN, PGPASSWORD)
    /// stay.
    std::vector<std::string> pass_env = {};
    bool sweeps = true;  ///< also recovers the tasks of dead workers; at least one process should
    /// Called with each line of its log, without the newline, from any of its threads. Unset: the log is dropped.
    std::function<void(std::string_view line)> log = {};
};

/// A worker inside the application's own process: runs the tasks of the given functions in the background.
///
///     holdfast::Worker worker("sqlite:app.db", app.functions());
///     worker.start();
///     ...
///     worker.drain();
///     worker.wait();
///
/// Its calls may come from any thread, one at a time.
class Worker {
public:
    /// Throws BadInput for options that no worker can have.
    Worker(const std::string& store_url, FunctionTable functions, const WorkerOptions& options = {});
    /// Drains the worker and waits until it has left.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Begins to work; returns at once. An unreachable store is retried for as long as it takes.
    void start();
    /// Stops claiming, lets running tasks end within the grace, stops the others (Context::cancelled() says what that
    /// means for them), and leaves. Returns at once.
    void drain();
    /// The same without the grace: running tasks are stopped now, and settled by their policies.
    void stop();
    /// Waits until the worker has left. Throws the error that ended it: Unusable when the store cannot be used.
    void wait();

private:
    class Body;
    std::unique_ptr<Body> body_;
};

}  // namespace holdfast
