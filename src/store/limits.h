#pragma once

#include <cstddef>
#include <optional>

#include "holdfast/time.h"

namespace holdfast::store {

struct Limits {
    std::size_t max_payload_bytes = 1 << 20;  ///< of args, spec, result, checkpoint and error data, each
    /// submit() refuses an unknown id that is older than this, because its task may have been pruned. It also refuses
    /// an unknown id up to the highest id that was pruned, whatever the clocks say. nullopt: this process does not
    /// refuse ids by their age.
    std::optional<Duration> terminal_retention = std::chrono::hours(720);
};
/// The longest name, queue, tag, key or other short text.
inline constexpr std::size_t max_short_text_bytes = 255;
/// The longest failure in a SweepNote; the rest is cut off.
inline constexpr std::size_t max_failure_bytes = 4096;
/// The most rows that one transaction changes; larger batches are split.
inline constexpr std::size_t max_batch_rows = 1000;

}  // namespace holdfast::store
