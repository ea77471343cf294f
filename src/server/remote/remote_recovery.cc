#include "server/remote/remote_recovery.h"

#include "base/text.h"

namespace holdfast::remote {

views::RecoveryStatus recovery_status(ServerLink& server) {
    auto status = views::from_json_shape<views::RecoveryStatus>(server.get(path_of({"recovery"})));
    status.now = views::from_json_shape<Timestamp>(server.get(path_of({"overview"})).at("now"));
    return status;
}

std::vector<engine::StaleTask> stale_tasks(ServerLink& server, const std::optional<Duration>& threshold) {
    const Json answer = server.get(path_of({"recovery", "stale"}),
                                   threshold ? Query{{"threshold", format_duration(*threshold)}} : Query{});
    return views::from_json_shape<std::vector<engine::StaleTask>>(answer.at("items"));
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

}  // namespace holdfast::remote
