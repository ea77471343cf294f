#include "server/api/resources.h"
#include "views/overview.h"

namespace holdfast::api {

namespace {

store::StatsParams params_of(const Call& call) {
    constexpr Duration shortest = std::chrono::minutes(1), longest = std::chrono::hours(24 * 7);
    store::StatsParams params;
    params.window = call.length("window").value_or(params.window);
    params.buckets = static_cast<int>(call.number("buckets", params.buckets));
    if (params.window < shortest || params.window > longest)
        throw Problem("BAD_PARAMETER", "?window must be 1m to 7d", {{"?window", "must be 1m to 7d"}});
    return params;
}

}  // namespace

http::Reply show_stats(Call& call) {
    const store::StatsParams params = params_of(call);
    return answer(
        views::to_json_shape(views::view_of(call.services.counts.statistics(call.store(), params), params.window)));
}

}  // namespace holdfast::api
