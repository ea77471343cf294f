#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "cli/terminal/io.h"
#include "holdfast/time.h"

namespace holdfast::cli {

/// The worker of `holdfast dev`: `holdfast worker` of this program as a process of its own, started again whenever it
/// ends. It does not survive this object, nor the process that has it. One thread.
class DevWorker {
public:
    /// `words` follow the program's name. `io` and `log` outlive it.
    DevWorker(std::vector<std::string> words, const Io& io, Log& log);
    ~DevWorker();
    DevWorker(const DevWorker&) = delete;
    DevWorker& operator=(const DevWorker&) = delete;

    /// To be called often: starts it, or starts it again a second after it ended.
    void look_after();
    /// Asks it to leave, has it stop what it runs when that takes longer than a moment, and waits for its end; one
    /// that takes longer than `stop_grace` for that is killed.
    void stop(Duration stop_grace);

private:
    void start();
    void note_end(int status);

    const std::vector<std::string> words_;
    const Io& io_;
    Log& log_;
    std::optional<pid_t> pid_;
    Duration start_at_{};
};

}  // namespace holdfast::cli
