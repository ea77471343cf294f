#include "holdfast/uuid.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <set>

#include "base/ids.h"
#include "tests/unit/fixed_random.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::FixedRandom;

constexpr std::uint64_t all_ones = ~std::uint64_t{0};
const Timestamp start = std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + 123456us;

int version(const Uuid& id) {
    return id.bytes()[6] >> 4;
}
int variant(const Uuid& id) {
    return id.bytes()[8] >> 6;
}

TEST(Uuid, ReadsItsTextInAnyLetterCase) {
    const char* text = "0192f3a4-5b6c-7d8e-9fab-0123456789cd";
    const auto id = Uuid::parse(text);
    ASSERT_TRUE(id);
    EXPECT_EQ(id->to_string(), text);
    EXPECT_EQ(Uuid::parse("0192F3A4-5B6C-7D8E-9FAB-0123456789CD"), id);
    EXPECT_EQ(id->unix_milliseconds(), 0x0192f3a45b6c);
}

TEST(Uuid, RefusesWhatIsNotItsText) {
    for (const char* text :
         {"", "0192f3a4", "0192f3a45b6c7d8e9fab0123456789cd", "0192f3a4-5b6c-7d8e-9fab-0123456789c",
          "0192f3a4-5b6c-7d8e-9fab-0123456789cde", "0192f3a4-5b6c-7d8e-9fab-0123456789cg",
          "0192f3a4_5b6c-7d8e-9fab-0123456789cd", "0192f3a-45b6c-7d8e-9fab-0123456789cd",
          "{192f3a4-5b6c-7d8e-9fab-0123456789c}", "0192f3a4-5b6c-7d8e-9fab-0123456789-d"})
        EXPECT_EQ(Uuid::parse(text), std::nullopt) << text;
}

TEST(Uuid, NilIsTheDefault) {
    EXPECT_TRUE(Uuid().is_nil());
    EXPECT_EQ(Uuid().to_string(), "00000000-0000-0000-0000-000000000000");
    EXPECT_EQ(Uuid::parse("00000000-0000-0000-0000-000000000000"), Uuid());
}

RC_GTEST_PROP(Uuid, TextIsReadBackAndSortsLikeTheId, ()) {
    const auto left = Uuid(*rc::gen::arbitrary<Uuid::Bytes>());
    const auto right = Uuid(*rc::gen::arbitrary<Uuid::Bytes>());
    RC_ASSERT(Uuid::parse(left.to_string()) == left);
    RC_ASSERT((left < right) == (left.to_string() < right.to_string()));
}

TEST(UuidV7, CarriesTheTimeTheVersionAndTheVariant) {
    FixedRandom random({0x123456789abcdef0, 0x0fedcba987654321});
    UuidV7Maker maker;
    const Uuid id = maker.make(start, random);
    EXPECT_EQ(id.unix_milliseconds(),
              std::chrono::floor<std::chrono::milliseconds>(start).time_since_epoch().count());
    EXPECT_EQ(version(id), 7);
    EXPECT_EQ(variant(id), 2);
}

TEST(UuidV7, GrowsWithinOneMillisecond) {
    FixedRandom random({42});
    UuidV7Maker maker;
    Uuid last = maker.make(start, random);
    for (int i = 0; i < 10'000; ++i) {
        const Uuid next = maker.make(start, random);
        ASSERT_LT(last, next);
        last = next;
    }
    EXPECT_EQ(last.unix_milliseconds(), maker.make(start, random).unix_milliseconds());
}

TEST(UuidV7, GrowsWhenTheClockGoesBack) {
    FixedRandom random({42, 7});
    UuidV7Maker maker;
    const Uuid before = maker.make(start, random);
    const Uuid after = maker.make(start - 29min, random);
    EXPECT_LT(before, after);
    EXPECT_EQ(after.unix_milliseconds(), before.unix_milliseconds());
}

TEST(UuidV7, FollowsAClockThatIsSetBackByMoreThanHalfAnHour) {
    FixedRandom random({42, 7, 43, 8});
    UuidV7Maker maker;
    const Uuid wrong = maker.make(start + 24h, random);
    const Uuid right = maker.make(start, random);
    EXPECT_EQ(wrong.unix_milliseconds() - right.unix_milliseconds(), std::chrono::milliseconds(24h).count());
    EXPECT_LT(right, maker.make(start, random));
}

TEST(UuidV7, BorrowsFromTheNextMillisecondWhenTheCounterIsFull) {
    FixedRandom random({all_ones});
    UuidV7Maker maker;
    const Uuid full = maker.make(start, random);
    const Uuid next = maker.make(start, random);
    EXPECT_EQ(next.unix_milliseconds(), full.unix_milliseconds() + 1);
    EXPECT_LT(full, next);
}

TEST(UuidV7, CarriesFromTheLowIntoTheHighPartOfTheCounter) {
    FixedRandom random({5, all_ones});
    UuidV7Maker maker;
    const Uuid low_is_full = maker.make(start, random);
    const Uuid next = maker.make(start, random);
    EXPECT_LT(low_is_full, next);
    EXPECT_EQ(next.unix_milliseconds(), low_is_full.unix_milliseconds());
    EXPECT_EQ(next.to_string().substr(14), "7006-8000-000000000000");
}

TEST(UuidV7, BearsClocksOutsideOfItsRange) {
    FixedRandom random({1});
    UuidV7Maker maker;
    EXPECT_EQ(maker.make(Timestamp(-1h), random).unix_milliseconds(), 0);
    EXPECT_EQ(maker.make(Timestamp::max(), random).unix_milliseconds(), (std::int64_t{1} << 48) - 1);
}

RC_GTEST_PROP(UuidV7, NeverRepeatsOrGoesBackwardsWhateverTheClockAndTheRandomnessDo, ()) {
    const auto draws = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint64_t>>(
        rc::gen::element<std::uint64_t>(0, 1, all_ones, all_ones - 1, 0x8000'0000'0000'0000)));
    const auto jumps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-5'000, 5'000));
    FixedRandom random(draws);
    UuidV7Maker maker;
    Timestamp now = start;
    Uuid last;
    for (const int jump : jumps) {
        now += Duration(jump);
        const Uuid next = maker.make(now, random);
        RC_ASSERT(last < next);
        RC_ASSERT(version(next) == 7);
        RC_ASSERT(variant(next) == 2);
        last = next;
    }
}

TEST(UuidV4, IsRandomButForVersionAndVariant) {
    FixedRandom random({all_ones, all_ones, 0, 0});
    EXPECT_EQ(make_uuid_v4(random).to_string(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    EXPECT_EQ(make_uuid_v4(random).to_string(), "00000000-0000-4000-8000-000000000000");
}

TEST(NameBasedUuid, CarriesTheTimeTheVersionAndTheVariant) {
    const Uuid id = name_based_uuid(start, "nightly");
    EXPECT_EQ(id.unix_milliseconds(),
              std::chrono::floor<std::chrono::milliseconds>(start).time_since_epoch().count());
    EXPECT_EQ(version(id), 7);
    EXPECT_EQ(variant(id), 2);
}

TEST(NameBasedUuid, NeverChangesFromOneVersionToTheNext) {
    EXPECT_EQ(hash_of(""), 0x48218226ff3cd4bfu);
    EXPECT_EQ(hash_of("nightly"), 0x3c5ccb927bc30726u);
    EXPECT_EQ(name_based_uuid(start, "").to_string(), "01a1dc80-f07b-75a1-8821-8226ff3cd4bf");
    EXPECT_EQ(name_based_uuid(start, "nightly").to_string(), "01a1dc80-f07b-7990-bc5c-cb927bc30726");
    EXPECT_EQ(name_based_uuid(start, "a name of more than eight bytes").to_string(),
              "01a1dc80-f07b-71a4-94d5-5f24fcb71279");
}

TEST(NameBasedUuid, TimesThatDoNotFitCountAsTheNearestThatDo) {
    EXPECT_EQ(name_based_uuid(Timestamp::min(), "x"), name_based_uuid(Timestamp(), "x"));
    EXPECT_EQ(name_based_uuid(Timestamp::max(), "x").unix_milliseconds(), (std::int64_t{1} << 48) - 1);
}

TEST(NameBasedUuid, NamesThatDifferLittleHaveIdsThatDifferMuch) {
    std::set<Uuid> ids;
    std::set<std::uint64_t> hashes;
    const auto note = [&](const std::string& name) {
        ids.insert(name_based_uuid(start, name));
        hashes.insert(hash_of(name));
    };
    for (std::size_t zeros = 0; zeros < 40; ++zeros) note(std::string(zeros, '\0'));
    for (int number = 0; number < 100'000; ++number) note("job/step[" + std::to_string(number) + "]");
    EXPECT_EQ(ids.size(), 100'040);
    EXPECT_EQ(hashes.size(), 100'040);
}

TEST(NameBasedUuid, EveryBitOfTheNameChangesAboutHalfOfTheHash) {
    const std::string name = "a schedule with a long name, of 43 characters";
    const Uuid id = name_based_uuid(start, name);
    for (std::size_t bit = 0; bit < 8 * name.size(); ++bit) {
        std::string other = name;
        other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
        const Uuid changed = name_based_uuid(start, other);
        int differing = 0;
        for (std::size_t i = 6; i < 16; ++i)
            differing += std::popcount(static_cast<unsigned>(id.bytes()[i] ^ changed.bytes()[i]));
        EXPECT_GT(differing, 15) << bit;  // of 74; five standard deviations from 37
        EXPECT_LT(differing, 59) << bit;
    }
}

}  // namespace
}  // namespace holdfast
