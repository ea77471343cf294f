#include "server/remote/server_calls.h"

#include "base/text.h"
#include "holdfast/errors.h"

namespace holdfast::remote {

namespace {

Json shape_of(const store::ScheduleDefinition& schedule) {
    return {{"name", schedule.name},
            {"timing", Json::parse(schedule.timing)},
            {"definition", Json::parse(schedule.definition)},
            {"input", views::embedded(schedule.input)}};
}

}  // namespace

views::TaskStory task_story(ServerLink& server, const Uuid& task) {
    const Json story = server.find(path_of({"tasks", task.to_string()}));
    if (story.is_null()) throw UnknownTask(concat("there is no task ", task.to_string()));
    auto told = views::from_json_shape<views::TaskStory>(story);
    told.now = server.now();
    return told;
}

client::ScheduleChanges apply_schedules(ServerLink& server, const std::vector<store::ScheduleDefinition>& wanted,
                                        bool dry_run) {
    Json schedules = Json::array();
    for (const auto& schedule : wanted) schedules.push_back(shape_of(schedule));
    const Json answer =
        server.post(path_of({"schedules"}), {{"schedules", std::move(schedules)}, {"dry_run", dry_run}});
    client::ScheduleChanges changes;
    for (const Json& item : answer.at("items")) {
        const std::string name = item.at("schedule"), status = item.at("status");
        if (const auto change = parse_word<client::ScheduleChange>(status))
            changes.configured.emplace_back(name, *change);
        else
            changes.not_configured.push_back(name);
    }
    return changes;
}

views::RecoveryStatus recovery_status(ServerLink& server) {
    auto status = views::from_json_shape<views::RecoveryStatus>(server.get(path_of({"recovery"})));
    status.now = server.now();
    return status;
}

std::vector<engine::StaleTask> stale_tasks(ServerLink& server, const std::optional<Duration>& threshold) {
    return server.items<engine::StaleTask>(path_of({"recovery", "stale"}),
                                           {{"threshold", threshold ? format_duration(*threshold) : ""}});
}

engine::ManualAnswer settle(ServerLink& server, const std::string& order, const std::optional<Duration>& threshold) {
    Json body = Json::object();
    if (threshold) body["threshold"] = format_duration(*threshold);
    return views::from_json_shape<engine::ManualAnswer>(server.post(path_of({"recovery", order}), body));
}

engine::SweepReport sweep(ServerLink& server) {
    const Json answer = server.post(path_of({"recovery", "sweep"}));
    return {.passes = views::from_json_shape<std::vector<engine::ServicePass>>(answer.at("services"))};
}

store::PruneAnswer prune(ServerLink& server, const views::PruneOrder& order) {
    return views::from_json_shape<views::PruneView>(
               server.post(path_of({"recovery", "prune"}),
                           {{"dry_run", order.dry_run}, {"clock_is_right", order.clock_is_right}}))
        .pruned;
}

MadeToken create_token(ServerLink& server, const store::NewToken& wanted, const std::string& lasts) {
    Json body = {{"name", wanted.name}, {"scope", word_of(wanted.scope)}, {"queues", wanted.queues}};
    if (!lasts.empty()) body["expires_in"] = lasts;
    return views::from_json_shape<MadeToken>(server.post(path_of({"tokens"}), body));
}

}  // namespace holdfast::remote
