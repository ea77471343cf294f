#include "core/token_validity.h"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp noon{500'000h};

TEST(TokenValidity, FollowsFromRevocationEndAndTheStoresClock) {
    struct Case {
        const char* what;
        std::optional<Timestamp> revoked_at, expires_at;
        TokenState state;
    };
    const std::vector<Case> cases = {
        {"without an end", {}, {}, TokenState::Valid},
        {"before its end", {}, noon + 1us, TokenState::Valid},
        {"at its end", {}, noon, TokenState::Expired},
        {"after its end", {}, noon - 1us, TokenState::Expired},
        {"revoked", noon - 1h, {}, TokenState::Revoked},
        {"revoked before its end", noon - 1h, noon + 1h, TokenState::Revoked},
        {"revoked and past its end", noon - 2h, noon - 1h, TokenState::Revoked},
        {"revoked by a clock that was ahead", noon + 1h, {}, TokenState::Revoked},
    };
    for (const Case& each : cases)
        EXPECT_EQ(token_state(each.revoked_at, each.expires_at, noon), each.state) << each.what;
}

}  // namespace
}  // namespace holdfast::core
