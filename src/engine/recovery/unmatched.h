#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/task/verdict.h"
#include "engine/recovery/observer.h"
#include "engine/recovery/verdict_writer.h"

namespace holdfast::engine {

struct UnmatchedSettings {
    Duration grace = std::chrono::seconds(30);
    core::UnmatchedRule steps = core::UnmatchedRule::Known;  ///< for steps without a rule of their own
    std::optional<Uuid> self;  ///< the worker of this process: alive even if its beats fail
};

/// Fails tasks that no worker can run, after a grace, by core::fails_unmatched. The grace counts from when this
/// observer first saw the route without such a worker, in one unbroken view: restarts of workers and outages do not
/// fail a task.
class Unmatched {
public:
    Unmatched(store::RecoveryStore& store, const Observer& observer, std::string who,
              const UnmatchedSettings& settings)
        : store_(store), observer_(observer), who_(std::move(who)), settings_(settings) {}

    RecoveryReport run_once(Duration now);

private:
    /// Since when a route has been without a worker.
    struct Lack {
        std::optional<Duration> unserved_since;
        std::optional<Duration> unknown_since;
    };
    /// The workers for one route.
    struct Workers {
        bool serve = false;           ///< one is active, with fresh beats
        bool are_known = false;       ///< there is one of any status
        bool some_are_stale = false;  ///< one is active, without fresh beats
    };

    [[nodiscard]] Workers workers_for(const store::RouteBacklog& route,
                                      const std::vector<store::WorkerRecord>& workers, Duration now) const;
    [[nodiscard]] bool is_fresh(const Uuid& worker, Duration now) const;
    [[nodiscard]] core::RouteSeen see(const Workers& workers, Lack& lack, Duration now) const;
    void reject(const store::RouteBacklog& route, bool open_steps, bool some_are_stale, RecoveryReport& report);

    store::RecoveryStore& store_;
    const Observer& observer_;
    const std::string who_;
    const UnmatchedSettings settings_;
    std::map<std::int64_t, Lack> lacks_;  // by route
};

}  // namespace holdfast::engine
