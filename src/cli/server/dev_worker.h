#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "cli/terminal/io.h"
#include "holdfast/time.h"

namespace holdfast::cli {

/// The worker of `holdfast dev`: runs `holdfast worker` of this program as a child process, and restarts it whenever
/// it ends. The child ends together with this object or its process. For one thread.
class DevWorker {
public:
    /// `words` follow the program's name. `io` and `log` must outlive this object.
    DevWorker(std::vector<std::string> words, const Io& io, Log& log);
    ~DevWorker();
    DevWorker(const DevWorker&) = delete;
    DevWorker& operator=(const DevWorker&) = delete;

    /// Starts the worker, or restarts it a second after it ended. The caller calls this frequently.
    void look_after();
    /// Asks the worker to leave. When that takes longer than a moment, makes it stop its running tasks; when that
    /// takes longer than `stop_grace`, kills it. Waits for its end.
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
