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
    std::optional<Duration> orders = std::chrono::hours(8760);
};

/// Removes history that is older than configured, once an hour, in batches so that claims never wait for it. While
/// the store's clock is in doubt it removes nothing, and checks the clock every minute.
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
    std::optional<Duration> looked_at_;  // when the store's clock was last checked
    bool is_in_doubt_ = false;
};

}  // namespace holdfast::engine
