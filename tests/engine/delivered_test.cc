#include "engine/worker/delivered.h"

#include <gmock/gmock.h>

#include "engine/worker/begun_leases.h"

namespace holdfast::engine::testing {
namespace {

using std::chrono::seconds;

store::FinishedRun outcome_of(store::Lease lease, std::size_t bytes = 1) {
    return {.lease = {{}, lease}, .end = core::LeaseEnd::Completed, .result = std::string(bytes, '1'), .error = {}};
}

std::vector<store::Lease> leases_of(const std::vector<store::FinishedRun>& outcomes) {
    std::vector<store::Lease> leases;
    for (const auto& outcome : outcomes) leases.push_back(outcome.lease.lease);
    return leases;
}

TEST(Delivered, NothingIsDueBeforeTheStoreHasGoneBack) {
    Delivered delivered;
    delivered.add(outcome_of(1), seconds(10));
    EXPECT_FALSE(delivered.has_due());
    EXPECT_TRUE(delivered.next_batch().empty());
    EXPECT_FALSE(delivered.take_counts());
}

TEST(Delivered, CountsWhatBecameOfEachOnceAllAreAnswered) {
    Delivered delivered;
    for (store::Lease lease = 1; lease <= 4; ++lease) delivered.add(outcome_of(lease), seconds(10));
    EXPECT_EQ(delivered.deliver_all_again(), 4U);
    EXPECT_THAT(leases_of(delivered.next_batch()), ::testing::ElementsAre(1, 2, 3, 4));
    delivered.answered({{}, 1}, store::Fenced::Applied, seconds(11));
    delivered.answered({{}, 2}, store::Fenced::Already, seconds(11));
    delivered.answered({{}, 3}, store::Fenced::LeaseLost, seconds(11));
    EXPECT_FALSE(delivered.take_counts()) << "one is still due";
    delivered.answered({{}, 4}, store::Fenced::Applied, seconds(11));
    const auto counts = delivered.take_counts();
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->applied, 2U);
    EXPECT_EQ(counts->already, 1U);
    EXPECT_EQ(counts->lost, 1U);
    EXPECT_FALSE(delivered.take_counts()) << "they are told once";
}

TEST(Delivered, KeepsWhatTheStoreTookAgainForTheNextTime) {
    Delivered delivered;
    for (store::Lease lease = 1; lease <= 3; ++lease) delivered.add(outcome_of(lease), seconds(10));
    (void)delivered.deliver_all_again();
    delivered.answered({{}, 1}, store::Fenced::Applied, seconds(50));
    delivered.answered({{}, 2}, store::Fenced::Already, seconds(50));
    delivered.answered({{}, 3}, store::Fenced::LeaseLost, seconds(50));
    delivered.forget_old(seconds(100));
    (void)delivered.deliver_all_again();
    EXPECT_THAT(leases_of(delivered.next_batch()), ::testing::ElementsAre(1, 2));
}

TEST(Delivered, ForgetsWhatIsOlderThanAMinuteWhenTheStoreIsSeenIntact) {
    Delivered delivered;
    delivered.add(outcome_of(1), seconds(10));
    delivered.add(outcome_of(2), seconds(11));
    delivered.forget_old(seconds(70));
    EXPECT_EQ(delivered.deliver_all_again(), 2U) << "exactly a minute is not longer than that";
    Delivered other;
    other.add(outcome_of(1), seconds(10));
    other.add(outcome_of(2), seconds(11));
    other.forget_old(seconds(71));
    (void)other.deliver_all_again();
    EXPECT_THAT(leases_of(other.next_batch()), ::testing::ElementsAre(2));
}

TEST(Delivered, ForgetsNothingThatIsDue) {
    Delivered delivered;
    delivered.add(outcome_of(1), seconds(10));
    (void)delivered.deliver_all_again();
    delivered.forget_old(seconds(1000));
    for (store::Lease lease = 2; lease < 20'000; ++lease) delivered.add(outcome_of(lease), seconds(1000));
    EXPECT_THAT(leases_of(delivered.next_batch()), ::testing::ElementsAre(1));
}

TEST(Delivered, KeepsAtMostTenThousandTheLatestOnes) {
    Delivered delivered;
    for (store::Lease lease = 1; lease <= 10'001; ++lease) delivered.add(outcome_of(lease), seconds(10));
    EXPECT_EQ(delivered.deliver_all_again(), 10'000U);
    EXPECT_EQ(delivered.next_batch().front().lease.lease, 2);
}

TEST(Delivered, KeepsAtMost64MiBOfThem) {
    Delivered delivered;
    for (store::Lease lease = 1; lease <= 65; ++lease) delivered.add(outcome_of(lease, 1 << 20), seconds(10));
    EXPECT_EQ(delivered.deliver_all_again(), 64U);
    EXPECT_EQ(delivered.next_batch().front().lease.lease, 2);
    for (store::Lease lease = 2; lease <= 65; ++lease)
        delivered.answered({{}, lease}, store::Fenced::Applied, seconds(11));
    EXPECT_EQ(delivered.deliver_all_again(), 64U) << "their size is counted once";
    delivered.add(outcome_of(99, 65 << 20), seconds(12));
    EXPECT_FALSE(delivered.deliver_again({{}, 99})) << "one that is larger than all room is not kept";
}

TEST(Delivered, BatchesAreBoundedByNumberAndBySize) {
    Delivered many;
    for (store::Lease lease = 1; lease <= 500; ++lease) many.add(outcome_of(lease), seconds(10));
    (void)many.deliver_all_again();
    EXPECT_EQ(many.next_batch().size(), Delivered::batch_outcomes);
    Delivered large;
    for (store::Lease lease = 1; lease <= 5; ++lease) large.add(outcome_of(lease, 3 << 20), seconds(10));
    (void)large.deliver_all_again();
    EXPECT_EQ(large.next_batch().size(), 1U);
    Delivered huge;
    huge.add(outcome_of(1, 5 << 20), seconds(10));
    (void)huge.deliver_all_again();
    EXPECT_EQ(huge.next_batch().size(), 1U) << "one always fits, or it would never be delivered";
}

TEST(Delivered, OneIsDueAgainWhenTheStoreStillHoldsItsLease) {
    Delivered delivered;
    delivered.add(outcome_of(1), seconds(10));
    delivered.add(outcome_of(2), seconds(10));
    EXPECT_FALSE(delivered.deliver_again({{}, 3}));
    EXPECT_FALSE(delivered.deliver_again({Uuid(Uuid::Bytes{1}), 1})) << "of another task";
    EXPECT_TRUE(delivered.deliver_again({{}, 2}));
    EXPECT_TRUE(delivered.deliver_again({{}, 2})) << "it is already due";
    EXPECT_THAT(leases_of(delivered.next_batch()), ::testing::ElementsAre(2));
}

TEST(BegunLeases, OfAllOthersItIsCertainThatNothingRan) {
    BegunLeases begun;
    begun.add(5);
    begun.add(3);
    EXPECT_TRUE(begun.may_have_run(5));
    EXPECT_TRUE(begun.may_have_run(3));
    EXPECT_FALSE(begun.may_have_run(4));
    EXPECT_FALSE(begun.may_have_run(1));
    EXPECT_FALSE(begun.may_have_run(6));
}

TEST(BegunLeases, BelowWhatIsForgottenEachMayHaveRun) {
    BegunLeases begun;
    const auto most = static_cast<store::Lease>(BegunLeases::most);
    for (store::Lease lease = 1; lease <= most + 2; ++lease) begun.add(2 * lease);
    for (store::Lease lease = 1; lease <= 4; ++lease) EXPECT_TRUE(begun.may_have_run(lease)) << lease;
    EXPECT_FALSE(begun.may_have_run(5));
    EXPECT_TRUE(begun.may_have_run(6));
    begun.add(1);  // lower than all that are remembered: forgotten at once
    EXPECT_TRUE(begun.may_have_run(3));
    EXPECT_FALSE(begun.may_have_run(5));
}

}  // namespace
}  // namespace holdfast::engine::testing
