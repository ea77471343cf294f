#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "server/api/answers.h"
#include "store/store.h"

namespace holdfast::api {

/// Detects changes that leave no line of history: the normal life of tasks, and workers. Not thread-safe.
class ChangeWatch {
public:
    /// look() returns the message for the readers, at most four times a second; nullopt: nothing has changed, or it
    /// is too early. `has_news`: the caller has news, so that a message is due even without a change here.
    using Count = std::function<store::TaskCounts(store::ClientStore&)>;
    [[nodiscard]] std::optional<Json> look(store::ClientStore& store, const Count& count, bool has_news);

private:
    using Moment = std::chrono::steady_clock::time_point;
    [[nodiscard]] bool workers_changed(store::ClientStore& store);

    Moment next_look_ = {};
    Moment next_look_at_workers_ = {};
    Json counts_;
    Json workers_;
    bool has_news_ = false;
};

}  // namespace holdfast::api
