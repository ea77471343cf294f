#include "cli/server/put_catalog.h"

#include "base/text.h"
#include "client/catalog_changes.h"
#include "core/calendar/schedule.h"

namespace holdfast::cli {

namespace {

using store::DeclareStatus;

template <typename Status>
void log_changes(Log& log, const char* sentence, const std::string& file, const auto& changes) {
    const auto count = [&](Status status) { return std::to_string(changes.count(status)); };
    log.write({LogLevel::Info,
               sentence,
               {{"file", file},
                {"new", count(Status::New)},
                {"changed", count(Status::Changed)},
                {"unchanged", count(Status::Unchanged)}}});
}

void put_schedules(const config::Config& config, store::Store& store, const std::string& who, Log& log) {
    if (config.schedules.empty()) return;
    log_changes<client::ScheduleChange>(log, "The schedules of the configuration are in the store", config.file,
                                        client::put_schedules(store, definitions_of(config.schedules), who));
}

void put_keys(const config::Config& config, store::ClientStore& store, const std::string& who, Log& log) {
    if (config.keys.empty()) return;
    const auto changes = client::put_keys(store, config.keys, who);
    for (const auto& [key, status] : changes.configured)
        if (status == DeclareStatus::IsShared)
            log.write({LogLevel::Warning,
                       concat("The store has the key declared as shared, and keeps that: 'holdfast keys remove ",
                              key.key, " --shared' ends it"),
                       {{"file", config.file}, {"key", key.key}, {"queue", key.queue}}});
    log_changes<DeclareStatus>(log, "The concurrency keys of the configuration are in the store", config.file,
                               changes);
}

}  // namespace

std::vector<store::ScheduleDefinition> definitions_of(const std::vector<config::Schedule>& schedules) {
    std::vector<store::ScheduleDefinition> definitions;
    for (const config::Schedule& schedule : schedules)
        definitions.push_back({.name = schedule.name,
                               .timing = core::to_json_text(schedule.timing),
                               .definition = schedule.definition,
                               .input = schedule.input});
    return definitions;
}

void put_catalog(const config::Config& config, store::Store& store, const std::string& who, Log& log) {
    put_schedules(config, store, who, log);
    put_keys(config, store, who, log);
}

}  // namespace holdfast::cli
