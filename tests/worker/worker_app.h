#pragma once

#include <map>
#include <optional>
#include <string>

#include "proof/crew/process.h"

namespace holdfast::worker_test {

struct WorkerAppParams {
    std::string name;
    std::string folder;  ///< its log goes there
    std::map<std::string, std::string> environment;
    std::map<std::string, std::string> settings;  ///< of app/settings.h
    std::optional<unsigned> most_processes;       ///< runs as the spare user, which may have so many processes
};

/// The application as a process beside the test.
class WorkerApp : public crew::Process {
public:
    explicit WorkerApp(const WorkerAppParams& params);

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Waits until it is known to the store.
    void wait_until_ready();
    /// What it has logged so far.
    [[nodiscard]] std::string log() const;
    void wait_for_log(const std::string& text) const;

private:
    std::string name_;
    std::string log_path_;
};

}  // namespace holdfast::worker_test
