#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "proof/crew/process.h"
#include "proof/demo/tasks.h"

namespace holdfast::proof {

/// A worker of the demo: `holdfast worker` of this program, as a process of its own.
struct DemoWorker {
    enum class Life { Up, Frozen, Killed, Left };

    std::string name;
    crew::Process process;
    Life life = Life::Up;
};

/// The configuration of the workers, and its settings that are shorter than the defaults.
[[nodiscard]] std::string demo_config(const DemoPlace& place);
[[nodiscard]] std::vector<std::string> shortened_settings();

/// The three workers. All their processes end with this object, and with the process that has it.
class DemoCrew {
public:
    /// Starts them, with their logs in the demo's folder. Throws std::runtime_error.
    explicit DemoCrew(const DemoPlace& place);
    ~DemoCrew();
    DemoCrew(const DemoCrew&) = delete;
    DemoCrew& operator=(const DemoCrew&) = delete;

    [[nodiscard]] std::vector<DemoWorker>& workers() { return workers_; }

    static void kill(DemoWorker& worker);
    /// Stops the process with SIGSTOP, at a moment when it holds no lock that others need to write.
    void freeze(DemoWorker& worker) const;
    static void resume(DemoWorker& worker);
    static void ask_to_leave(const DemoWorker& worker);

    /// Notes which processes have ended. Throws DemoFailed when a worker has ended by itself or with an error.
    void reap(bool may_leave);

private:
    void note_end(pid_t pid, int status, bool may_leave);

    DemoPlace place_;
    std::vector<DemoWorker> workers_;
};

/// The demo could not be played to its end.
class DemoFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace holdfast::proof
