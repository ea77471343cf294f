#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/task/settlement.h"
#include "holdfast/task.h"
#include "holdfast/time.h"
#include "store/task_records.h"

namespace holdfast::engine {

/// A place in which one task at a time is run: a process or a thread. Numbers are never used twice by a worker.
using RunnerId = std::int64_t;

/// Everything a runner needs to know to execute a task.
struct RunOrder {
    store::TaskLease lease = {};
    std::string name = {};
    std::string args = {};         ///< JSON text
    std::string spec = {};         ///< JSON text: a script or container; empty: the function registered under `name`
    int attempt = 1;               ///< the number that people see
    Duration timeout{};            ///< of this run, from its beginning; for Context::deadline, enforced by the worker
    std::string checkpoint = {};   ///< JSON text, of an earlier run; empty: none
    bool fenced = false;           ///< the run must end when the fence's deadline passes
    std::string traceparent = {};  ///< W3C trace context of whoever submitted the task; empty: none
};

/// Why a run is to stop, the weakest first: a stronger reason replaces a weaker one.
enum class StopCause { Drain, Timeout, Cancel, Fence, LeaseLost };

// ---- What runners tell -------------------------------------------------------------------------------------------

/// It has booted, or has ended its task and everything that the task had started, and waits for the next.
struct RunnerReady {
    RunnerId runner = 0;
    int pid = 0;  ///< 0: a thread
};

/// The run has ended by itself, or because it was asked to: nothing of it is left. The runner waits for the next
/// task, unless it says `leaves`: then RunnerGone follows.
struct RunEnded {
    RunnerId runner = 0;
    store::Lease lease = 0;
    bool completed = false;
    bool saw_stop = false;    ///< it had seen that it was asked to stop, and does not insist on its value
    bool threw_stop = false;  ///< it threw Stopped: it says that it left off cleanly. Not completed
    std::string result = {};  ///< JSON text, of completed
    TaskError error = {};     ///< of not completed; empty where only the stop ended it
    bool leaves = false;      ///< it has run as many tasks as it may, or has grown too large
};

/// The runner and every process that it had started are dead.
struct RunnerGone {
    RunnerId runner = 0;
    std::string how = {};  ///< "exit code 3", "killed by SIGSEGV", "killed: memory limit 512 MiB", "fenced itself"
    bool fenced = false;   ///< it ended itself because the fence's deadline had passed
};

/// A sign of life from a thread that user code cannot block.
struct RunnerBeat {
    RunnerId runner = 0;
};

struct RunProgress {
    RunnerId runner = 0;
    store::Lease lease = 0;
    std::optional<double> fraction = {};
    std::string text = {};
    std::optional<std::string> checkpoint = {};  ///< JSON text
};

/// What the run printed, valid UTF-8. At most every 200 ms per runner.
struct RunLog {
    RunnerId runner = 0;
    store::Lease lease = 0;
    std::string stream = {};  ///< "stdout", "stderr" or "log"
    std::string text = {};
    Timestamp at = {};
};

using RunnerEvent = std::variant<RunnerReady, RunEnded, RunnerGone, RunnerBeat, RunProgress, RunLog>;

// ---- What they are told ------------------------------------------------------------------------------------------

/// Where runs are executed. Calls return at once; what comes of them is told by events, in the service loop's thread.
class Runners {
public:
    virtual ~Runners() = default;

    /// Makes a runner: RunnerReady follows, or RunnerGone.
    virtual void spawn(RunnerId runner) = 0;
    /// Executes the task in a runner that is ready. RunEnded follows, or RunnerGone.
    virtual void begin(RunnerId runner, const RunOrder& order) = 0;
    /// Asks the run to stop: its processes get SIGTERM, its Context says cancelled(); what is left of it after
    /// `grace` is killed. A function that does not return is not killed by this: the caller follows with kill().
    virtual void ask_to_stop(RunnerId runner, StopCause cause, Duration grace) = 0;
    /// Kills the runner with every process that it has started. RunnerGone follows when none is left. Threads cannot
    /// be killed: nothing happens.
    virtual void kill(RunnerId runner) = 0;
    /// Runs with `fenced` end themselves at once when no later deadline has come by then. On the clock that
    /// `now` of the worker's events is on, which all processes of the machine share.
    virtual void set_fence(Duration deadline) = 0;
    /// The text of a RunLog has been stored: the runner may send as many bytes more.
    virtual void logs_stored(RunnerId runner, std::size_t bytes) = 0;
};

}  // namespace holdfast::engine
