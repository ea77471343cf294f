#pragma once

#include "config/config.h"
#include "engine/sweeper.h"

namespace holdfast::cli {

/// How recovery behaves by this configuration.
[[nodiscard]] engine::SweepSettings sweep_settings(const config::Config& config);

}  // namespace holdfast::cli
