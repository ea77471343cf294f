#pragma once

#include <optional>

#include "engine/recovery_report.h"
#include "store/store.h"

namespace holdfast::engine {

/// How long history is kept; nullopt: for ever.
struct RetentionSettings {
    std::optional<Duration> heartbeats = std::chrono::hours(24);
    std::optional<Duration> worker_states = std::chrono::hours(168);
    std::optional<Duration> terminal = std::chrono::hours(720);
};

/// Removes what is older than it has to be kept: hourly, and meanwhile batch by batch until nothing is left to
/// remove, so that claims never wait for it.
class Retention {
public:
    Retention(store::Store& store, const RetentionSettings& settings) : store_(store), settings_(settings) {}

    RecoveryReport run_once(Duration now);

private:
    store::Store& store_;
    const RetentionSettings settings_;
    std::optional<Duration> next_at_;
};

}  // namespace holdfast::engine
