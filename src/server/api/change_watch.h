#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "server/api/answers.h"
#include "store/store.h"

namespace holdfast::api {

/// Notices what changes without a line of history: tasks that live a normal life, and workers.
class ChangeWatch {
public:
    /// What readers are told, at most four times a second; nullopt: nothing, or not yet. `has_news`: there is
    /// something to tell even if nothing has changed here.
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
