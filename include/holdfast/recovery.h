#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/task.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast {

/// A CLAIMED or RUNNING task of which nothing was heard for a while.
struct StaleTask {
    Uuid id;
    std::string name;
    TaskState state = TaskState::Running;  ///< CLAIMED or RUNNING
    std::int64_t lease = 0;
    Uuid worker;
    std::string worker_name;  ///< empty: the store knows no such worker
    std::string host;
    Duration quiet_for{};          ///< since the last sign: of its run (RUNNING) or its worker (CLAIMED)
    bool worker_is_alive = false;  ///< it beats
};

/// What recovery by hand did.
struct RecoveryCounts {
    std::size_t settled = 0;  ///< tasks that are out of their worker's hands now
    std::size_t asked = 0;    ///< runs that may go on: their workers were asked to stop them, and will confirm
};

/// Recovery by hand, for tools and tests: workers recover by themselves (docs/recovery.md). Ages are by the store's
/// clock. Calls may come from any thread; harmless to repeat, and to make while others recover. Every call throws
/// StoreError when the store fails.
class Recovery {
public:
    /// Opens a store that exists, as Client does. `who` stands in the events.
    explicit Recovery(const std::string& store_url, std::string who = "application");
    ~Recovery();
    Recovery(Recovery&&) noexcept;
    Recovery& operator=(Recovery&&) noexcept;

    /// Those of which nothing was heard for longer than `threshold`, by id.
    [[nodiscard]] std::vector<StaleTask> stale_tasks(Duration threshold);
    /// Ends stale RUNNING tasks as crashed (WORKER_CRASHED), or runs them again where their policy says so. The run
    /// of a worker that lives is not ended over its head: the worker is asked.
    RecoveryCounts fail_stale_running(Duration threshold);
    /// Sends stale CLAIMED tasks back to PENDING, at no cost.
    RecoveryCounts requeue_stale_claimed(Duration threshold);

private:
    class Connection;
    std::unique_ptr<Connection> connection_;
};

}  // namespace holdfast
