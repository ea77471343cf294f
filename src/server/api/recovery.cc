#include "views/recovery.h"
#include "base/text.h"
#include "engine/recovery/manual_recovery.h"
#include "platform/service_loop.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

/// The name for reading the sweep lease. It is not the name of a sweeper, so the lease stays with its holder.
constexpr const char* onlooker = "the api, which only looks";

}  // namespace

http::Reply show_recovery(Call& call) {
    const auto host = call.services.parts.host_watch(call.config());
    return answer(views::RecoveryView{.status = views::read_recovery_status(call.store(), *host, onlooker),
                                      .replicas = call.store().replicas()});
}

http::Reply list_stale_tasks(Call& call) {
    constexpr Duration usual = std::chrono::seconds(60);
    const auto stale =
        views::find_stale(call.store(), call.config().recovery, call.length("threshold").value_or(usual));
    return answer_list(stale);
}

http::Reply settle_stale(Call& call, TaskState state) {
    const auto& usual = call.config().recovery;
    const bool is_running = state == TaskState::Running;
    const Duration threshold =
        length_in(call.body, "threshold")
            .value_or(is_running ? usual.running_stale_threshold : usual.claimed_stale_threshold);
    const auto act = is_running ? engine::fail_stale_running : engine::requeue_stale_claimed;
    return answer(act(call.store(), call.services.random, {.threshold = threshold, .who = call.caller.who()}));
}

http::Reply sweep(Call& call) {
    const auto host = call.services.parts.host_watch(call.config());
    engine::Sweeper sweeper(call.store(), *host, call.services.random, call.caller.who(),
                            views::sweep_settings(call.config()), platform::machine_time);
    const engine::SweepReport report = sweeper.run_all(platform::machine_time());
    call.note_order("swept", views::swept_message, Json());
    return answer({{"services", views::array_of(report.passes)}});
}

http::Reply prune(Call& call) {
    const bool dry_run = call.body_flag("dry_run");
    const auto pruned = views::prune(call.store(), call.config().retention,
                                     {.dry_run = dry_run, .clock_is_right = call.body_flag("clock_is_right")});
    const views::PruneView view{.dry_run = dry_run, .pruned = pruned};
    if (!dry_run && pruned.doubt.empty())
        call.note_order("pruned", views::pruned_message(pruned), views::to_json_shape(view));
    return answer(view);
}

}  // namespace holdfast::api
