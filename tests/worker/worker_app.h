#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

#include "base/descriptor.h"

namespace holdfast::worker_test {

struct WorkerAppParams {
    std::string name;
    std::string folder;  ///< its log goes there
    std::map<std::string, std::string> environment;
    std::map<std::string, std::string> settings;  ///< of app/settings.h
    std::optional<unsigned> most_processes;       ///< as a user of its own, who may have no more than these
};

/// The application as a process beside the test. Killed with the test, and when this is destroyed.
class WorkerApp {
public:
    explicit WorkerApp(const WorkerAppParams& params);
    ~WorkerApp();
    WorkerApp(const WorkerApp&) = delete;
    WorkerApp& operator=(const WorkerApp&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] bool has_ended() const { return has_ended_; }

    /// Waits until it is known to the store.
    void wait_until_ready();
    void send(int signal) const;
    /// Waits for its end; the exit code, or -signal.
    int wait();
    int kill() {
        send(9);
        return wait();
    }

    /// Stops it wherever it is, and returns when it has stopped.
    void stop() const;
    void go_on() const;

    /// What it has logged so far.
    [[nodiscard]] std::string log() const;
    void wait_for_log(const std::string& text) const;

private:
    std::string name_;
    std::string log_path_;
    Descriptor output_;
    pid_t pid_ = -1;
    bool has_ended_ = false;
};

}  // namespace holdfast::worker_test
