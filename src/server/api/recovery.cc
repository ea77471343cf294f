#include "views/recovery.h"
#include "base/text.h"
#include "engine/recovery/manual_recovery.h"
#include "platform/service_loop.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

/// The name for reading the sweep lease. It is not the name of a sweeper, so the lease stays with its holder.
constexpr const char* onlooker = "the api, which only looks";

using Settle = engine::ManualAnswer (*)(store::RecoveryStore&, Random&, const engine::ManualParams&);

http::Response settle(Call& call, Settle act, Duration usual) {
    const Duration threshold = call.body_length("threshold").value_or(usual);
    return answer(views::to_json_shape(
        act(call.store(), call.services.random, {.threshold = threshold, .who = call.caller.who()})));
}

}  // namespace

http::Reply show_recovery(Call& call) {
    const auto host = call.services.parts.host_watch(call.config());
    return answer(views::to_json_shape(views::RecoveryView{
        .status = views::read_recovery_status(call.store(), *host, onlooker), .replicas = call.store().replicas()}));
}

http::Reply list_stale_tasks(Call& call) {
    constexpr Duration usual = std::chrono::seconds(60);
    const auto stale =
        views::find_stale(call.store(), call.config().recovery, call.length("threshold").value_or(usual));
    return answer(list_of(views::array_of(stale)));
}

http::Reply fail_running(Call& call) {
    return settle(call, engine::fail_stale_running, call.config().recovery.running_stale_threshold);
}

http::Reply requeue_claimed(Call& call) {
    return settle(call, engine::requeue_stale_claimed, call.config().recovery.claimed_stale_threshold);
}

http::Reply sweep(Call& call) {
    const auto host = call.services.parts.host_watch(call.config());
    engine::Sweeper sweeper(call.store(), *host, call.services.random, call.caller.who(),
                            views::sweep_settings(call.config()), platform::machine_time);
    const engine::SweepReport report = sweeper.run_all(platform::machine_time());
    call.audit("had every recovery service do one pass");
    return answer({{"services", views::array_of(report.passes)}});
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
    return answer(views::to_json_shape(views::PruneView{.dry_run = dry_run, .pruned = pruned}));
}

http::Reply list_replicas(Call& call) {
    return answer(list_of(views::array_of(call.store().replicas())));
}

}  // namespace holdfast::api
