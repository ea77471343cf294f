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

/// A process or thread that runs one task at a time. A worker never uses a number twice.
using RunnerId = std::int64_t;

/// Everything that a runner needs to execute a task.
struct RunOrder {
    store::TaskLease lease = {};
    std::string name = {};
    std::string args = {};         ///< JSON text
    std::string spec = {};         ///< JSON text: a script or container; empty: the function registered under `name`
    int attempt = 1;               ///< as shown to people, from 1
    Duration timeout{};            ///< of this run, from its start; for Context::deadline, enforced by the worker
    std::string checkpoint = {};   ///< JSON text, of an earlier run; empty: none
    bool fenced = false;           ///< the run must end at the fence's deadline
    std::string traceparent = {};  ///< W3C trace context of the submit; empty: none
};

/// Why a run is to stop, the weakest first: a stronger reason replaces a weaker one.
enum class StopCause { Drain, Timeout, Cancel, Fence, LeaseLost };

// ---- Events of runners -------------------------------------------------------------------------------------------

/// It has booted and waits for a task.
struct RunnerReady {
    RunnerId runner = 0;
    int pid = 0;  ///< 0: a thread
};

/// The run has ended by itself, or because it was asked to, and no process of it is left. The runner waits for the
/// next task; with `leaves` RunnerGone follows instead.
struct RunEnded {
    RunnerId runner = 0;
    store::Lease lease = 0;
    bool completed = false;
    bool saw_stop = false;    ///< the run had seen the stop, and does not insist on its value
    bool threw_stop = false;  ///< the run threw Stopped: it stopped cleanly. Not with completed
    std::string result = {};  ///< JSON text, of completed
    TaskError error = {};     ///< unless completed; empty when only the stop ended the run
    bool leaves = false;      ///< the runner has reached its number of tasks, or uses too much memory
};

/// What the death of a runner means for its run.
enum class RunFate {
    Crashed,    ///< the run has brought its runner down, or may have
    Bystander,  ///< it shared a process that was ended for another run, or that several runs may have brought down
    Unbegun,    ///< none of its code has run
};

/// The runner and all of its processes are dead.
struct RunnerGone {
    RunnerId runner = 0;
    std::string how = {};  ///< "exit code 3", "killed by SIGSEGV", "killed: memory limit 512 MiB", "fenced itself"
    bool fenced = false;   ///< it ended itself at the fence's deadline
    RunFate fate = RunFate::Crashed;  ///< of its run, if it had one
};

/// A sign of life, from a thread that user code cannot block.
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

/// Output of the run, valid UTF-8. At most every 200 ms per runner.
struct RunLog {
    RunnerId runner = 0;
    store::Lease lease = 0;
    std::string stream = {};  ///< "stdout", "stderr" or "log"
    std::string text = {};
    Timestamp at = {};
};

using RunnerEvent = std::variant<RunnerReady, RunEnded, RunnerGone, RunnerBeat, RunProgress, RunLog>;

// ---- Orders to runners -------------------------------------------------------------------------------------------

/// Executes runs. Calls return at once; their outcomes arrive as events inside the service loop.
class Runners {
public:
    virtual ~Runners() = default;

    /// Makes a runner: RunnerReady follows, or RunnerGone.
    virtual void spawn(RunnerId runner) = 0;
    /// Executes the task in a runner that is ready. RunEnded follows, or RunnerGone.
    virtual void begin(RunnerId runner, const RunOrder& order) = 0;
    /// Asks the run to stop: its processes get SIGTERM, and its Context::cancelled() is true. Processes that are left
    /// after `grace` are killed. A function that does not return is not: the caller must call kill().
    virtual void ask_to_stop(RunnerId runner, StopCause cause, Duration grace) = 0;
    /// Kills the runner with all of its processes. RunnerGone follows when none is left. Does nothing to threads,
    /// which cannot be killed.
    virtual void kill(RunnerId runner) = 0;
    /// Runs with `fenced` end themselves at this time, unless a later deadline arrives before. On the clock of `now`
    /// in the worker's events, which all processes of the machine share.
    virtual void set_fence(Duration deadline) = 0;
    /// The text of a RunLog was stored: the runner may send this many bytes more.
    virtual void logs_stored(RunnerId runner, std::size_t bytes) = 0;
};

}  // namespace holdfast::engine
