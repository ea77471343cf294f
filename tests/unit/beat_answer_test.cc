#include "store/beat_answer.h"

#include <gmock/gmock.h>

namespace holdfast::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Uuid task(std::uint8_t number) {
    Uuid::Bytes bytes{};
    bytes[15] = number;
    return Uuid(bytes);
}

HeldLease listed(std::uint8_t number, Lease lease) {
    return {{task(number), lease}, false, 0, Duration(0)};
}

StoredLease stored(std::uint8_t number, Lease lease, int unlisted_beats = 0) {
    return {{task(number), lease}, std::nullopt, unlisted_beats};
}

StoredLease to_stop(std::uint8_t number, Lease lease, StopReason reason) {
    return {{task(number), lease}, reason, 0};
}

TEST(BeatAnswer, SaysNothingWhenBothSidesAgree) {
    const auto answer = compare_leases({listed(1, 10), listed(2, 20)}, {stored(2, 20), stored(1, 10)});
    EXPECT_THAT(answer.lost, IsEmpty());
    EXPECT_THAT(answer.stop, IsEmpty());
    EXPECT_THAT(answer.unlisted, IsEmpty());
    EXPECT_THAT(answer.listed_again, IsEmpty());
}

TEST(BeatAnswer, SaysNothingAboutNothing) {
    EXPECT_THAT(compare_leases({}, {}).lost, IsEmpty());
}

TEST(BeatAnswer, ALeaseThatTheStoreDoesNotHoldIsLost) {
    EXPECT_THAT(compare_leases({listed(1, 10), listed(2, 20)}, {stored(2, 20)}).lost,
                ElementsAre(TaskLease{task(1), 10}));
}

TEST(BeatAnswer, AnOlderLeaseOfTheSameTaskIsLostAndTheCurrentOneUnlisted) {
    const auto answer = compare_leases({listed(1, 10)}, {stored(1, 11)});
    EXPECT_THAT(answer.lost, ElementsAre(TaskLease{task(1), 10}));
    EXPECT_THAT(answer.unlisted, ElementsAre(TaskLease{task(1), 11}));
}

TEST(BeatAnswer, AWorkerThatStillStopsItsOldRunOfATaskMayHoldItAgain) {
    for (const auto& both : {std::vector{listed(1, 10), listed(1, 11)}, std::vector{listed(1, 11), listed(1, 10)}}) {
        const auto answer = compare_leases(both, {stored(1, 11)});
        EXPECT_THAT(answer.lost, ElementsAre(TaskLease{task(1), 10}));
        EXPECT_THAT(answer.unlisted, IsEmpty());
    }
}

TEST(BeatAnswer, ALeaseThatTheBeatDidNotListIsNamed) {
    EXPECT_THAT(compare_leases({listed(1, 10)}, {stored(1, 10), stored(2, 20), stored(3, 30)}).unlisted,
                UnorderedElementsAre(TaskLease{task(2), 20}, TaskLease{task(3), 30}));
}

TEST(BeatAnswer, ALeaseThatIsListedAgainIsCountedAnew) {
    const auto answer =
        compare_leases({listed(1, 10), listed(2, 20)}, {stored(1, 10, 2), stored(2, 20, 0), stored(3, 30, 5)});
    EXPECT_THAT(answer.listed_again, ElementsAre(TaskLease{task(1), 10}));
    EXPECT_THAT(answer.unlisted, ElementsAre(TaskLease{task(3), 30}));
}

TEST(BeatAnswer, StopRequestsAreRepeatedWithEveryBeat) {
    const auto answer = compare_leases({listed(1, 10), listed(2, 20)},
                                       {to_stop(1, 10, StopReason::Timeout), to_stop(2, 20, StopReason::Cancel)});
    ASSERT_EQ(answer.stop.size(), 2U);
    EXPECT_EQ(answer.stop[0].lease, (TaskLease{task(1), 10}));
    EXPECT_EQ(answer.stop[0].reason, StopReason::Timeout);
    EXPECT_EQ(answer.stop[1].reason, StopReason::Cancel);
}

}  // namespace
}  // namespace holdfast::store
