#include "server/process/catalog_file.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"

namespace holdfast::server {

namespace {

namespace fs = std::filesystem;

constexpr const char* usual_name = "holdfast.yaml";

}  // namespace

CatalogFile::CatalogFile(config::Config first, Load load, std::function<void(const config::Config&)> when_read,
                         Log& log)
    : load_(std::move(load)),
      when_read_(std::move(when_read)),
      log_(log),
      current_(std::make_shared<const config::Config>(std::move(first))) {
    seen_ = look();
}

CatalogFile::Config CatalogFile::current() const {
    const std::scoped_lock lock(mutex_);
    return current_;
}

bool CatalogFile::reload() {
    seen_ = look();
    auto loaded = load_();
    if (!loaded.ok()) {
        for (const config::ConfigError& error : loaded.error())
            log_.write({LogLevel::Error, concat("The catalog stays as it was: ", to_text(error)), {}});
        return false;
    }
    const auto read = std::make_shared<const config::Config>(std::move(loaded).value());
    const bool is_elsewhere =
        read->workflow_directory != current()->workflow_directory || read->file != current()->file;
    {
        const std::scoped_lock lock(mutex_);
        current_ = read;
    }
    if (is_elsewhere) seen_ = look();
    log_.write({LogLevel::Info,
                "The catalog was read again",
                {{"file", read->file},
                 {"tasks", std::to_string(read->tasks.size())},
                 {"workflows", std::to_string(read->workflows.size())},
                 {"schedules", std::to_string(read->schedules.size())}}});
    when_read_(*read);
    return true;
}

void CatalogFile::reload_if_changed() {
    if (look() != seen_) reload();
}

/// Returns the state of each file of the catalog. A missing file has size and time zero.
std::vector<CatalogFile::FileState> CatalogFile::look() const {
    const Config config = current();
    std::vector<std::string> paths = {config->file.empty() ? usual_name : config->file};
    std::error_code ignored;
    if (!config->workflow_directory.empty())
        for (fs::directory_iterator entry(config->workflow_directory, ignored), end; !ignored && entry != end;
             entry.increment(ignored))
            paths.push_back(entry->path().string());
    std::sort(paths.begin(), paths.end());
    std::vector<FileState> states;
    for (const std::string& path : paths) {
        const auto changed = fs::last_write_time(path, ignored);
        const auto changed_at = ignored ? 0 : changed.time_since_epoch().count();
        const auto size = fs::file_size(path, ignored);
        states.push_back({path, static_cast<std::int64_t>(changed_at), ignored ? 0 : size});
    }
    return states;
}

}  // namespace holdfast::server
