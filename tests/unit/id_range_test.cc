#include "store/list_guide.h"

#include <gtest/gtest.h>

namespace holdfast::store {
namespace {

Uuid id(const char* text) {
    return Uuid::parse(text).value();
}

const Uuid everything_up_to = id("ffffffff-ffff-ffff-ffff-ffffffffffff");

TEST(IdRange, WithoutPrefixOrEndReachesFromTheFirstIdToTheLast) {
    const auto range = id_range("", std::nullopt);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->lowest, id("00000000-0000-0000-0000-000000000001"));
    EXPECT_EQ(range->highest, everything_up_to);
}

TEST(IdRange, PrefixMayStopInTheMiddleOfAByteAndContainDashesAndCapitals) {
    const auto range = id_range("0192A3b4-c", std::nullopt);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->lowest, id("0192a3b4-c000-0000-0000-000000000000"));
    EXPECT_EQ(range->highest, id("0192a3b4-cfff-ffff-ffff-ffffffffffff"));
}

TEST(IdRange, WholeIdIsARangeOfOne) {
    const auto range = id_range("0192a3b4-c5d6-7e8f-9a0b-1c2d3e4f5061", std::nullopt);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->lowest, range->highest);
}

TEST(IdRange, EndsJustBeforeTheIdThatThePageBeforeEndedWith) {
    const auto range = id_range("", id("01000000-0000-0000-0000-000000000000"));
    ASSERT_TRUE(range);
    EXPECT_EQ(range->highest, id("00ffffff-ffff-ffff-ffff-ffffffffffff"));
}

TEST(IdRange, IsNothingForWhatNoIdCanStartWith) {
    EXPECT_FALSE(id_range("xyz", std::nullopt));
    EXPECT_FALSE(id_range("0192a3b4-c5d6-7e8f-9a0b-1c2d3e4f50617", std::nullopt)) << "33 digits";
}

TEST(IdRange, IsNothingWhenThePageBeforeEndedBelowThePrefix) {
    EXPECT_FALSE(id_range("02", id("01000000-0000-0000-0000-000000000000")));
    EXPECT_FALSE(id_range("", Uuid()));
}

TEST(FirstIdAt, IsBelowEveryIdMadeThenAndAboveEveryOneMadeBefore) {
    const Timestamp at{std::chrono::milliseconds(0x0192a3b4c5d6)};
    EXPECT_EQ(first_id_at(at), id("0192a3b4-c5d6-0000-0000-000000000000"));
    EXPECT_LT(id("0192a3b4-c5d5-7fff-bfff-ffffffffffff"), first_id_at(at));
}

TEST(FirstIdAt, BeforeTheEpochIsTheLowestOfAll) {
    EXPECT_EQ(first_id_at(Timestamp(std::chrono::seconds(-5))), Uuid());
}

}  // namespace
}  // namespace holdfast::store
