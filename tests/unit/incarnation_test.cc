#include "core/incarnation.h"

#include <gtest/gtest.h>

namespace holdfast::core {
namespace {

const Uuid one_nonce = *Uuid::parse("01890000-0000-7000-8000-000000000001");
const Uuid other_nonce = *Uuid::parse("01890000-0000-7000-8000-000000000002");

TEST(Incarnation, LeaseNumbersOfARankStayBelowThoseOfTheNextAndAreJsonNumbers) {
    EXPECT_EQ(rank_of(first_lease_of(1)), 1);
    EXPECT_EQ(rank_of(first_lease_of(2) - 1), 1);
    EXPECT_LT(first_lease_of(highest_rank + 1) - 1, std::int64_t{1} << 53);
}

TEST(Incarnation, CountsTheLeasesThatWereGrantedWithinARank) {
    EXPECT_EQ(leases_between(first_lease_of(1), first_lease_of(1) + 5), 5);
    EXPECT_EQ(leases_between(first_lease_of(1) + 5, first_lease_of(1)), 0) << "the store went back";
    EXPECT_EQ(leases_between(first_lease_of(1) + 5, first_lease_of(2) + 4711), 0);
    EXPECT_EQ(leases_between(first_lease_of(1), first_lease_of(1) + leases_of_restart), 0)
        << "a server was restarted";
}

TEST(Incarnation, CountsTheBeatsWithoutThoseThatRolloversLeftOut) {
    EXPECT_EQ(beats_between(7, 12), 5);
    EXPECT_EQ(beats_between(7, 7 + 2 * beats_of_rollover + 3), 3);
    EXPECT_EQ(beats_between(12, 7), 0) << "the store went back";
    EXPECT_EQ(beats_between(12, 7 + beats_of_rollover), 0) << "and rolled over";
}

TEST(Incarnation, IsJudgedByWhatTheProcessKnowsAndWhereTheStoreIsFound) {
    const struct {
        Incarnation known, stored;
        bool place_is_recorded;
        Welcome welcome;
    } cases[] = {
        // A process that meets the store for the first time.
        {{}, {1, one_nonce}, true, Welcome::Accept},
        {{}, {1, one_nonce}, false, Welcome::RollOver},
        // Nothing has happened.
        {{3, one_nonce}, {3, one_nonce}, true, Welcome::Accept},
        // Another process has rolled over.
        {{3, one_nonce}, {4, other_nonce}, true, Welcome::Accept},
        // A failover.
        {{3, one_nonce}, {3, one_nonce}, false, Welcome::RollOver},
        // A failover that lost the rollover before it, too.
        {{3, one_nonce}, {2, other_nonce}, false, Welcome::RollOver},
        {{3, one_nonce}, {4, other_nonce}, false, Welcome::RollOver},
        // A former primary has come back.
        {{3, one_nonce}, {2, other_nonce}, true, Welcome::Refuse},
        // Two forks have come to the same rank.
        {{3, one_nonce}, {3, other_nonce}, true, Welcome::RollOver},
        {{3, one_nonce}, {3, other_nonce}, false, Welcome::RollOver},
    };
    for (const auto& each : cases) {
        const Meeting meeting{each.known, each.stored, each.place_is_recorded};
        EXPECT_EQ(judge(meeting), each.welcome)
            << "known " << each.known.rank << ", stored " << each.stored.rank << ", " << each.place_is_recorded;
    }
}

TEST(Incarnation, OfARestartedServerIsNotedWhereItWouldBeAccepted) {
    const Incarnation one{3, one_nonce}, twin{3, other_nonce}, older{2, other_nonce}, newer{4, other_nonce};
    const auto restarted = [](const Incarnation& known, const Incarnation& stored, bool place_is_recorded = true) {
        return judge({known, stored, place_is_recorded, true});
    };
    EXPECT_EQ(restarted({}, one), Welcome::NoteRestart);
    EXPECT_EQ(restarted(one, one), Welcome::NoteRestart);
    EXPECT_EQ(restarted(one, newer), Welcome::NoteRestart);
    EXPECT_EQ(restarted(one, older), Welcome::Refuse) << "a former primary is one also after a restart";
    EXPECT_EQ(restarted(one, twin), Welcome::RollOver);
    EXPECT_EQ(restarted(one, one, false), Welcome::RollOver);
}

TEST(Incarnation, RollsOverToARankThatNobodyHasSeen) {
    EXPECT_EQ(next_rank({{}, {1, one_nonce}, false}), 2);
    EXPECT_EQ(next_rank({{5, one_nonce}, {3, other_nonce}, false}), 6);
    EXPECT_EQ(next_rank({{3, one_nonce}, {5, other_nonce}, false}), 6);
}

TEST(Incarnation, IsAtARecordedPlaceWhenEveryPartThatCanBeReadIsTheRecordedOne) {
    EXPECT_TRUE(is_recorded("71/00000001/16385", "71/00000001/16385"));
    EXPECT_TRUE(is_recorded("4711", "4711"));
    for (const char* found : {"72/00000001/16385", "71/00000002/16385", "71/00000001/16386", "71/00000001",
                              "71/00000001/16385/1", "71", ""})
        EXPECT_FALSE(is_recorded("71/00000001/16385", found)) << found;
    EXPECT_FALSE(is_recorded("", "71/00000001/16385")) << "nothing is recorded";
    EXPECT_TRUE(is_recorded("71/00000001/16385", "?/?/16385"));
    EXPECT_FALSE(is_recorded("71/00000001/16385", "?/?/16386"));
    EXPECT_FALSE(is_recorded("?/?/16385", "71/?/16385")) << "it can be read now, so it is to be recorded";
}

TEST(Incarnation, AWitnessOfTheSameRankSeesThatTheStoreWentBack) {
    EXPECT_TRUE(has_gone_back({2, 10}, 2, 9));
    EXPECT_FALSE(has_gone_back({2, 10}, 2, 10));
    EXPECT_FALSE(has_gone_back({2, 10}, 3, 9)) << "the store has rolled over since";
    EXPECT_FALSE(has_gone_back({}, 2, 0)) << "has seen nothing yet";
}

}  // namespace
}  // namespace holdfast::core
