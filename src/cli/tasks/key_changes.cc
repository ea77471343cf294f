#include "cli/tasks/key_changes.h"

#include "base/text.h"
#include "client/key_operations.h"

namespace holdfast::cli {

using store::DeclareStatus;

void put_keys_of(const config::Config& config, store::Store& store, const std::string& who, Log& log) {
    if (config.keys.empty()) return;
    const auto changes = client::put_keys(store, config.keys, who);
    for (const auto& [key, status] : changes.configured)
        if (status == DeclareStatus::IsShared)
            log.write({LogLevel::Warning,
                       concat("The store has the key declared as shared, and keeps that: 'holdfast keys remove ",
                              key.key, " --shared' ends it"),
                       {{"file", config.file}, {"key", key.key}, {"queue", key.queue}}});
    const auto count = [&](DeclareStatus status) { return std::to_string(changes.count(status)); };
    log.write({LogLevel::Info,
               "The concurrency keys of the configuration are in the store",
               {{"file", config.file},
                {"new", count(DeclareStatus::New)},
                {"changed", count(DeclareStatus::Changed)},
                {"unchanged", count(DeclareStatus::Unchanged)}}});
}

}  // namespace holdfast::cli
