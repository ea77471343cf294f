#include "server/remote/remote_schedules.h"

namespace holdfast::remote {

namespace {

Json shape_of(const store::ScheduleDefinition& schedule) {
    return {{"name", schedule.name},
            {"timing", Json::parse(schedule.timing)},
            {"definition", Json::parse(schedule.definition)},
            {"input", views::embedded(schedule.input)}};
}

client::ScheduleChange change_of(const std::string& word) {
    if (word == "new") return client::ScheduleChange::New;
    return word == "changed" ? client::ScheduleChange::Changed : client::ScheduleChange::Unchanged;
}

}  // namespace

client::ScheduleChanges apply_schedules(ServerLink& server, const std::vector<store::ScheduleDefinition>& wanted,
                                        bool dry_run) {
    Json schedules = Json::array();
    for (const auto& schedule : wanted) schedules.push_back(shape_of(schedule));
    const Json answer =
        server.post(path_of({"schedules"}), {{"schedules", std::move(schedules)}, {"dry_run", dry_run}});
    client::ScheduleChanges changes;
    for (const Json& item : answer.at("items")) {
        const std::string name = item.at("schedule"), status = item.at("status");
        if (status == "not_configured")
            changes.not_configured.push_back(name);
        else
            changes.configured.emplace_back(name, change_of(status));
    }
    return changes;
}

}  // namespace holdfast::remote
