#pragma once

#include <map>

#include "engine/bailiff.h"
#include "engine/observer.h"

namespace holdfast::engine {

/// Fails tasks that say `unmatched: fail` and that no active worker with fresh beats can run, after a grace. It
/// counts from when this observer first saw the route without such a worker, in one unbroken view: workers that
/// restart, and an outage, fail nothing.
class Unmatched {
public:
    Unmatched(store::Store& store, const Observer& observer, std::string who, Duration grace)
        : store_(store), observer_(observer), who_(std::move(who)), grace_(grace) {}

    RecoveryReport run_once(Duration now);

private:
    enum class Served { Yes, NoWorker, NoneFresh };
    [[nodiscard]] Served is_served(const store::RouteBacklog& route, const std::vector<store::WorkerRecord>& workers,
                                   Duration now) const;
    void reject(const store::RouteBacklog& route, Served served, RecoveryReport& report);

    store::Store& store_;
    const Observer& observer_;
    const std::string who_;
    const Duration grace_;
    std::map<std::int64_t, Duration> unserved_since_;  // by route
};

}  // namespace holdfast::engine
