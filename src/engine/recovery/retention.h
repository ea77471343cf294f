#pragma once

#include <optional>

#include "engine/recovery/recovery_report.h"
#include "store/recovery_store.h"

namespace holdfast::engine {

/// How long history is kept; nullopt: for ever.
struct RetentionSettings {
    std::optional<Duration> heartbeats = std::chrono::hours(24);
    std::optional<Duration> worker_states = std::chrono::hours(168);
    std::optional<Duration> terminal = std::chrono::hours(720);
};

/// Removes what is older than it has to be kept: hourly, and meanwhile batch by batch until nothing is left to
/// remove, so that claims never wait for it. While the store's clock is in doubt it removes nothing, and looks at it
/// every minute.
class Retention {
public:
    Retention(store::RecoveryStore& store, const RetentionSettings& settings) : store_(store), settings_(settings) {}

    RecoveryReport run_once(Duration now);

private:
    [[nodiscard]] store::PruneAnswer prune(Duration watched);
    [[nodiscard]] Duration watched(Duration now);

    store::RecoveryStore& store_;
    const RetentionSettings settings_;
    std::optional<Duration> next_at_;
    std::optional<Duration> looked_at_;  // at the store's clock, the last time
    bool is_in_doubt_ = false;
};

}  // namespace holdfast::engine
