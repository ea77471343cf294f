#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"
#include "config/config.h"

namespace holdfast::server {

/// The definitions of tasks, workflows and schedules that the server offers: what the configuration file says, read
/// anew when somebody asks for that. What was accepted before keeps the specification that is stored with it.
class CatalogFile {
public:
    using Config = std::shared_ptr<const config::Config>;
    using Load = std::function<Result<config::Config, config::ConfigErrors>()>;

    /// `log` outlives it. `when_read` is told of each later version that is accepted.
    CatalogFile(config::Config first, Load load, std::function<void(const config::Config&)> when_read, Log& log);

    /// From any thread.
    [[nodiscard]] Config current() const;

    // From one thread:

    /// Reads everything again. False, and a line in the log for each thing that is wrong: the old version stays.
    bool reload();
    /// ... if a file of it was changed, added or removed since it was last read.
    void reload_if_changed();

private:
    struct FileState {
        std::string path = {};
        std::int64_t changed_at = 0;
        std::uintmax_t size = 0;

        friend bool operator==(const FileState&, const FileState&) = default;
    };
    [[nodiscard]] std::vector<FileState> look() const;

    const Load load_;
    const std::function<void(const config::Config&)> when_read_;
    Log& log_;
    std::vector<FileState> seen_;
    mutable std::mutex mutex_;
    Config current_;  // guarded by mutex_
};

}  // namespace holdfast::server
