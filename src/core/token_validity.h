#pragma once

#include <optional>

#include "holdfast/time.h"

namespace holdfast::core {

enum class TokenState { Valid, Expired, Revoked };

/// What a token is worth at `now`, by the clock of the store that stamped it. It expires at its end, not after it,
/// and a revoked one counts as revoked even when it has expired, too.
[[nodiscard]] constexpr TokenState token_state(const std::optional<Timestamp>& revoked_at,
                                               const std::optional<Timestamp>& expires_at, Timestamp now) {
    if (revoked_at) return TokenState::Revoked;
    return expires_at && *expires_at <= now ? TokenState::Expired : TokenState::Valid;
}

}  // namespace holdfast::core
