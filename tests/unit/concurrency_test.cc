#include "core/task/concurrency.h"

#include <gtest/gtest.h>

namespace holdfast::core {
namespace {

TEST(LimitInForce, IsTheFirstSubmitsForAKeyThatNobodyRemembers) {
    for (int asked = 1; asked <= 5; ++asked) EXPECT_EQ(limit_in_force(std::nullopt, asked), asked);
}

TEST(LimitInForce, OfADeclaredKeyIsFixed) {
    for (int limit = 1; limit <= 5; ++limit)
        for (int asked = 1; asked <= 5; ++asked)
            for (const bool in_use : {false, true})
                EXPECT_EQ(limit_in_force(KeyState{.limit = limit, .declared = true, .in_use = in_use}, asked), limit);
}

TEST(LimitInForce, OfAnUndeclaredKeyInUseIsLoweredAndNeverRaised) {
    for (int limit = 1; limit <= 5; ++limit)
        for (int asked = 1; asked <= 5; ++asked)
            EXPECT_EQ(limit_in_force(KeyState{.limit = limit, .declared = false, .in_use = true}, asked),
                      asked < limit ? asked : limit);
}

TEST(LimitInForce, OfAnUndeclaredKeyOutOfUseIsTheNextSubmits) {
    for (int limit = 1; limit <= 5; ++limit)
        for (int asked = 1; asked <= 5; ++asked)
            EXPECT_EQ(limit_in_force(KeyState{.limit = limit, .declared = false, .in_use = false}, asked), asked);
}

}  // namespace
}  // namespace holdfast::core
