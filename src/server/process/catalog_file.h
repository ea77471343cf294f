#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/log.h"
#include "config/config.h"

namespace holdfast::server {

/// The definitions of tasks, workflows and schedules that the server offers, as read from the configuration files
/// and read again on request. Tasks and jobs that were accepted earlier keep the specification that is stored with
/// them.
class CatalogFile {
public:
    using Config = std::shared_ptr<const config::Config>;
    using Load = std::function<Result<config::Config, config::ConfigErrors>()>;

    /// `log` must outlive this object. `when_read` is called with each later version that is accepted.
    CatalogFile(config::Config first, Load load, std::function<void(const config::Config&)> when_read, Log& log);

    /// Returns the current version. From any thread.
    [[nodiscard]] Config current() const;

    // Only one thread may call these:

    /// Reads all files again. Returns false and logs each error when they are invalid; the old version then stays.
    bool reload();
    /// Calls reload() if a file was changed, added or removed since the last read.
    void reload_if_changed();

private:
    /// The time of the last change and the size of each file, by its path. Both are zero for a missing file.
    using FileStates = std::map<std::string, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
    [[nodiscard]] FileStates look() const;

    const Load load_;
    const std::function<void(const config::Config&)> when_read_;
    Log& log_;
    FileStates seen_;
    mutable std::mutex mutex_;
    Config current_;  // guarded by mutex_
};

}  // namespace holdfast::server
