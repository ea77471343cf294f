#include "server/process/catalog_file.h"

#include "base/text.h"

namespace holdfast::server {

namespace fs = std::filesystem;

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

CatalogFile::FileStates CatalogFile::look() const {
    FileStates states;
    std::error_code is_missing;
    const auto look_at = [&](const fs::path& path) {
        const auto changed_at = fs::last_write_time(path, is_missing);
        auto& [time, size] = states[path];
        if (!is_missing) time = changed_at;
        if (const auto bytes = fs::file_size(path, is_missing); !is_missing) size = bytes;
    };
    const Config config = current();
    look_at(config->file.empty() ? "holdfast.yaml" : config->file);
    if (config->workflow_directory.empty()) return states;
    std::error_code ended;
    for (fs::directory_iterator entry(config->workflow_directory, ended), end; !ended && entry != end;
         entry.increment(ended))
        look_at(entry->path());
    return states;
}

}  // namespace holdfast::server
