#pragma once

#include <string>

#include "holdfast/uuid.h"
#include "store/store.h"

namespace holdfast::bench {

struct WorkerWords {
    std::string store;
    std::string name;
    std::string queue;
    int capacity = 2;
    bool sweeps = false;
    std::string through = {};  ///< a command that runs another one: "ip netns exec NAME"; not passed on
};

/// The body of `recovery_bench worker`: a real worker with processes for runners.
int be_worker(const WorkerWords& words);
/// The body of `recovery_bench claimer`: a process that claims ahead, proves its life, beats, and starts nothing.
int be_claimer(const WorkerWords& words);

/// Such a process, started; `mode` is "worker" or "claimer". Killed, if it still lives, by the destructor.
class Child {
public:
    Child(const std::string& mode, const WorkerWords& words);
    ~Child();
    Child(Child&& other) noexcept;
    Child& operator=(Child&&) = delete;

    [[nodiscard]] int pid() const { return pid_; }
    void kill(int signal) const;
    /// Kills it, and waits until it is gone.
    void end();

private:
    int pid_ = 0;
};

}  // namespace holdfast::bench
