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
    Process,  ///< each in a process of its own: one that crashes takes no other with it, and can be killed
    Thread,   ///< in threads of the worker: the fastest, for code that is trusted not to crash and to return
};

/// How a worker in one's own process behaves. What `holdfast worker` reads from its configuration is said here.
struct WorkerOptions {
    std::string name = {};  ///< empty: the name of the host
    std::vector<std::string> queues = {"default"};
    std::vector<std::string> tags = {};  ///< beside those that its functions and its isolation give it
    int max_concurrent_tasks = 10;
    Duration task_timeout = std::chrono::minutes(5);        ///< of tasks that name none
    Duration heartbeat_interval = std::chrono::seconds(3);  ///< how often it tells the store that it lives
    Duration shutdown_grace = std::chrono::seconds(30);     ///< how long running tasks may go on after drain()
    Duration stop_grace = std::chrono::seconds(5);          ///< between asking a task to stop and killing it
    std::size_t max_payload_bytes = 1 << 20;                ///< of a result or a checkpoint
    /// Process: also runs scripts, but the program must have begun with runner_main() (holdfast/runner_main.h), and
    /// the Worker must be made before the first thread.
    Isolation isolation = Isolation::Thread;
    int max_tasks_per_runner = 1000;                       ///< Process: a runner is replaced after so many
    std::optional<std::int64_t> runner_memory_limit = {};  ///< Process: bytes; unset: none
    /// Process: the names of this process's environment variables that scripts are given beside PATH, HOME, LANG and
    /// TZ, and that functions keep although they are withheld otherwise (HOLDFAST_STORE, HOLDFAST_TOKEN, PGPASSWORD).
    std::vector<std::string> pass_env = {};
    bool sweeps = true;  ///< also recovers what dead workers leave behind; at least one process should
    /// Is given each line of its log, as text without the newline, from any of its threads. Unset: nobody is.
    std::function<void(std::string_view line)> log = {};
};

/// A worker inside of the application's own process: runs the tasks whose functions it is given, in the background.
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
    /// Drains it, and waits until it has left.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Begins to work; returns at once. A store that is not reachable is tried again for as long as it takes.
    void start();
    /// Has it claim nothing more, let running tasks end within the grace, stop those that have not ended by then
    /// (Context::cancelled() says what that means for them), and leave. Returns at once.
    void drain();
    /// The same without the grace: what runs is stopped now, and settled by its policy.
    void stop();
    /// Waits until it has left. Throws what ended it: Unusable when the store cannot be used.
    void wait();

private:
    class Body;
    std::unique_ptr<Body> body_;
};

}  // namespace holdfast
