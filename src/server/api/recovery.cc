#include "base/text.h"
#include "engine/recovery/manual_recovery.h"
#include "platform/service_loop.h"
#include "server/api/resources.h"
#include "server/api/sweep_settings.h"
#include "views/recovery_view.h"
#include "worker/sweep_thread.h"

namespace holdfast::api {

namespace {

/// Whoever only looks: no sweeper has this name, so that asking with it takes nothing from anybody.
constexpr const char* onlooker = "the api, which only looks";

Json shape_of(const store::ReplicaRecord& record) {
    const store::Replica& replica = record.replica;
    return {{"id", replica.id.to_string()},
            {"host", replica.hostname},
            {"pid", replica.pid},
            {"version", replica.version},
            {"address", replica.address},
            {"started_at", format_timestamp(record.started_at)},
            {"last_heartbeat", format_timestamp(record.last_heartbeat)},
            {"seconds_ago", std::chrono::duration<double>(record.seconds_ago).count()},
            {"sweeping", replica.sweeping}};
}

Json replicas_shape(store::Store& store) {
    return each(store.replicas(), [](const auto& record) { return shape_of(record); });
}

auto host_watch(const config::Config& config) {
    return worker::host_watch_for(config.store.url, container_tool(config.worker));
}

using Settle = engine::ManualAnswer (*)(store::Store&, Random&, const engine::ManualParams&);

http::Response settle(Call& call, Settle act, Duration usual) {
    const Duration threshold = call.body_length("threshold").value_or(usual);
    return answer(views::to_json_shape(
        act(call.store(), call.services.random, {.threshold = threshold, .who = call.caller.who()})));
}

}  // namespace

http::Reply show_recovery(Call& call) {
    const auto host = host_watch(call.config());
    Json status = views::to_json_shape(views::read_recovery_status(call.store(), *host, onlooker));
    status["replicas"] = replicas_shape(call.store());
    return answer(status);
}

http::Reply list_stale_tasks(Call& call) {
    constexpr Duration usual = std::chrono::seconds(60);
    const auto stale =
        views::find_stale(call.store(), call.config().recovery, call.length("threshold").value_or(usual));
    return answer(list_of(each(stale, [](const auto& one) { return views::to_json_shape(one); })));
}

http::Reply fail_running(Call& call) {
    return settle(call, engine::fail_stale_running, call.config().recovery.running_stale_threshold);
}

http::Reply requeue_claimed(Call& call) {
    return settle(call, engine::requeue_stale_claimed, call.config().recovery.claimed_stale_threshold);
}

http::Reply sweep(Call& call) {
    const auto host = host_watch(call.config());
    engine::Sweeper sweeper(call.store(), *host, call.services.random, call.caller.who(),
                            sweep_settings(call.config()), platform::machine_time);
    const engine::SweepReport report = sweeper.run_all(platform::machine_time());
    call.audit("had every recovery service do one pass");
    return answer({{"services", each(report.passes, [](const auto& pass) { return views::to_json_shape(pass); })}});
}

http::Reply prune(Call& call) {
    const auto is_set = [&](const char* member) {
        const Value* value = given(call.body, member);
        return value != nullptr && value->get<bool>();
    };
    const bool dry_run = is_set("dry_run");
    const auto pruned = views::prune(call.store(), call.config().retention,
                                     {.dry_run = dry_run, .clock_is_right = is_set("clock_is_right")});
    if (!dry_run && pruned.doubt.empty())
        call.audit(concat("had history removed: ", pruned.tasks, " tasks, ", pruned.jobs, " jobs"));
    return answer(views::to_json_shape(pruned, dry_run));
}

http::Reply list_replicas(Call& call) {
    return answer(list_of(replicas_shape(call.store())));
}

}  // namespace holdfast::api
