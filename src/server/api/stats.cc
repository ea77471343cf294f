#include "base/text.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

double seconds_of(Duration length) {
    return std::chrono::duration<double>(length).count();
}

/// Of nothing there are none: null, not zero.
Json shape_of(const store::Percentiles& percentiles, bool has_any) {
    const auto value = [&](Duration length) { return has_any ? Json(seconds_of(length)) : Json(); };
    return {{"p50", value(percentiles.p50)},
            {"p95", value(percentiles.p95)},
            {"p99", value(percentiles.p99)},
            {"max", value(percentiles.max)}};
}

Json shape_of(const store::StatsBucket& bucket) {
    return {{"at", format_timestamp(bucket.at)}, {"completed", bucket.completed}, {"failed", bucket.failed},
            {"cancelled", bucket.cancelled},     {"expired", bucket.expired},     {"recovered", bucket.recovered}};
}

Json shape_of(const store::NameStats& name) {
    return {{"name", name.name},
            {"completed", name.completed},
            {"failed", name.failed},
            {"run", shape_of(name.run, name.completed + name.failed > 0)}};
}

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
    const store::Stats stats = call.services.statistics(call.store(), params);
    Json buckets = Json::array(), names = Json::array();
    for (const auto& bucket : stats.buckets) buckets.push_back(shape_of(bucket));
    for (const auto& name : stats.names) names.push_back(shape_of(name));
    return answer({{"window_seconds", seconds_of(params.window)},
                   {"complete", stats.complete},
                   {"ended", stats.ended},
                   {"buckets", std::move(buckets)},
                   {"wait", shape_of(stats.wait, stats.ended > 0)},
                   {"run", shape_of(stats.run, stats.ended > 0)},
                   {"names", std::move(names)}});
}

}  // namespace holdfast::api
