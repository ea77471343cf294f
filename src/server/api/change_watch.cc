#include "server/api/change_watch.h"

#include <algorithm>
#include <utility>

#include "views/task.h"

namespace holdfast::api {

namespace {

using Steady = std::chrono::steady_clock;

}  // namespace

bool ChangeWatch::workers_changed(store::ClientStore& store) {
    constexpr auto interval = std::chrono::seconds(2);
    if (Steady::now() < next_look_at_workers_) return false;
    next_look_at_workers_ = Steady::now() + interval;
    Json workers = Json::array();
    for (const auto& worker : store.workers())
        workers.push_back({worker.registration.id.to_string(), word_of(worker.status), worker.cordoned,
                           worker.drain_requested, worker.held.size(),
                           worker.seconds_ago > 3 * worker.registration.beat_interval});
    return std::exchange(workers_, workers) != workers;
}

/// A slow store is read less often: reading takes at most a tenth of the time.
std::optional<Json> ChangeWatch::look(store::ClientStore& store, const Count& count, bool has_news) {
    constexpr Steady::duration interval = std::chrono::milliseconds(250);
    has_news_ = has_news_ || has_news;
    const auto began = Steady::now();
    if (began < next_look_) return std::nullopt;
    Json counts = views::to_json_shape(count(store));
    const bool tasks = std::exchange(counts_, counts) != counts;
    const bool workers = workers_changed(store);
    next_look_ = began + std::max(interval, 10 * (Steady::now() - began));
    const bool news = std::exchange(has_news_, false);
    if (!tasks && !workers && !news) return std::nullopt;
    return Json{{"tasks", tasks || news}, {"jobs", tasks || news}, {"workers", workers || news}, {"counts", counts}};
}

}  // namespace holdfast::api
