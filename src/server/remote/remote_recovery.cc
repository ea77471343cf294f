#include "server/remote/remote_recovery.h"

#include "base/text.h"
#include "views/readings.h"

namespace holdfast::remote {

views::RecoveryStatus recovery_status(ServerLink& server) {
    const Timestamp now = views::read_time(server.get(path_of({"overview"})).at("now"));
    return views::read_recovery_status(server.get(path_of({"recovery"})), now);
}

std::vector<engine::StaleTask> stale_tasks(ServerLink& server, const std::optional<Duration>& threshold) {
    std::vector<engine::StaleTask> stale;
    const Json answer = server.get(path_of({"recovery", "stale"}),
                                   threshold ? Query{{"threshold", format_duration(*threshold)}} : Query{});
    for (const Json& item : answer.at("items")) stale.push_back(views::read_stale_task(item));
    return stale;
}

engine::ManualAnswer settle(ServerLink& server, const std::string& order, const std::optional<Duration>& threshold) {
    Json body = Json::object();
    if (threshold) body["threshold"] = format_duration(*threshold);
    const Json answer = server.post(path_of({"recovery", order}), body);
    return {.settled = answer.at("settled"), .asked = answer.at("asked")};
}

engine::SweepReport sweep(ServerLink& server) {
    engine::SweepReport report;
    const Json answer = server.post(path_of({"recovery", "sweep"}));
    for (const Json& service : answer.at("services")) report.passes.push_back(views::read_service_pass(service));
    return report;
}

}  // namespace holdfast::remote
