#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/terminal/io.h"
#include "proof/commands.h"
#include "proof/demo/tasks.h"

namespace holdfast::proof {

/// A worker of the demo: `holdfast worker` of this program, as a process of its own.
struct DemoWorker {
    enum class Life { Up, Frozen, Killed, Left };

    std::string name;
    pid_t pid = 0;
    Life life = Life::Up;
};

/// What the workers are told, and what of it is shorter than a real one would have it.
[[nodiscard]] std::string demo_config(const DemoPlace& place);
[[nodiscard]] std::vector<std::string> shortened_settings();

/// The three workers. None of their processes survives this object, nor the process that has it.
class DemoCrew {
public:
    /// Starts them, with their logs in the demo's folder. Throws std::system_error.
    DemoCrew(const DemoPlace& place, const Io& io);
    ~DemoCrew();
    DemoCrew(const DemoCrew&) = delete;
    DemoCrew& operator=(const DemoCrew&) = delete;

    [[nodiscard]] std::vector<DemoWorker>& workers() { return workers_; }

    static void kill(DemoWorker& worker);
    /// Stops the process with SIGSTOP, and never where it holds what others need to write: then it is let go for a
    /// moment, and stopped again.
    void freeze(DemoWorker& worker) const;
    static void resume(DemoWorker& worker);
    static void ask_to_leave(const DemoWorker& worker);

    /// Takes note of processes that have ended. Throws DemoFailed when a worker did so that nobody asked to, or that
    /// did not leave in order.
    void reap(bool may_leave);

private:
    void note_end(pid_t pid, int status, bool may_leave);
    [[nodiscard]] bool is_in_the_way(pid_t pid) const;

    DemoPlace place_;
    std::vector<DemoWorker> workers_;
};

/// The demo did not come to its end.
class DemoFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace holdfast::proof
