#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class SweepLease : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE(SweepLease);

TEST_P(SweepLease, GoesToTheFirstWhoAsks) {
    const auto first = store->sweep_lease("a", 3s);
    EXPECT_TRUE(first.held);
    EXPECT_EQ(first.holder, "a");
    const auto second = open()->sweep_lease("b", 3s);
    EXPECT_FALSE(second.held);
    EXPECT_EQ(second.holder, "a");
}

TEST_P(SweepLease, IsKeptByRenewing) {
    store->sweep_lease("a", 3s);
    for (int i = 0; i < 5; ++i) {
        clock.advance(2s);
        EXPECT_TRUE(store->sweep_lease("a", 3s).held);
        EXPECT_FALSE(store->sweep_lease("b", 3s).held);
    }
}

TEST_P(SweepLease, LapsesWhenItIsNotRenewed) {
    store->sweep_lease("a", 3s);
    clock.advance(2s + 900ms);
    EXPECT_FALSE(store->sweep_lease("b", 3s).held);
    clock.advance(200ms);
    EXPECT_TRUE(store->sweep_lease("b", 3s).held);
    const auto late = store->sweep_lease("a", 3s);
    EXPECT_FALSE(late.held);
    EXPECT_EQ(late.holder, "b");
}

TEST_P(SweepLease, CanBeGivenUpAtOnce) {
    store->sweep_lease("a", 3s);
    EXPECT_FALSE(store->sweep_lease("a", 0s).held);
    EXPECT_TRUE(store->sweep_lease("b", 3s).held);
}

TEST_P(SweepLease, OfAnotherIsNotGivenUp) {
    store->sweep_lease("a", 3s);
    EXPECT_FALSE(store->sweep_lease("b", 0s).held);
    EXPECT_FALSE(store->sweep_lease("b", 3s).held);
}

}  // namespace
}  // namespace holdfast::contract
