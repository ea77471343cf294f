#include "core/host_choice.h"

#include <gmock/gmock.h>

#include <set>

#include "base/text.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

const Uuid x = Uuid::parse("00000000-0000-4000-8000-00000000000a").value();
const Uuid y = Uuid::parse("00000000-0000-4000-8000-00000000000b").value();
const Uuid z = Uuid::parse("00000000-0000-4000-8000-00000000000c").value();

/// Every answer that a host can give, as far as the choice looks at it.
std::vector<HostAnswer> every_answer(const std::string& host) {
    std::vector<HostAnswer> all;
    for (const bool writes : {false, true})
        for (const std::int64_t rank : {0, 1, 2})
            for (const auto& nonce : {Uuid(), x, y}) all.push_back({host, writes, 1, {rank, nonce}});
    return all;
}

TEST(HostChoice, TakesAWritableHostOfTheHighestRankInEveryCombinationOfThree) {
    for (const auto& a : every_answer("a"))
        for (const auto& b : every_answer("b"))
            for (const auto& c : every_answer("c"))
                for (const auto& known : {Uuid(), x, z}) {
                    const std::vector<HostAnswer> answers{a, b, c};
                    const auto choice = choose_host(answers, known);
                    std::int64_t highest = -1;
                    for (const auto& each : answers)
                        if (each.accepts_writes) highest = std::max(highest, each.incarnation.rank);
                    bool has_known = false;
                    std::set<Uuid> histories;
                    for (const auto& each : answers) {
                        if (!each.accepts_writes || each.incarnation.rank != highest) continue;
                        has_known |= !known.is_nil() && each.incarnation.nonce == known;
                        if (!each.incarnation.nonce.is_nil()) histories.insert(each.incarnation.nonce);
                    }
                    const bool must_refuse = !has_known && histories.size() > 1;
                    ASSERT_EQ(choice.chosen.has_value(), highest >= 0 && !must_refuse);
                    ASSERT_EQ(!choice.refusal.empty(), must_refuse);
                    if (!choice.chosen) continue;
                    const auto& chosen = answers[*choice.chosen];
                    ASSERT_TRUE(chosen.accepts_writes);
                    ASSERT_EQ(chosen.incarnation.rank, highest);
                    ASSERT_TRUE(!has_known || chosen.incarnation.nonce == known);
                }
}

TEST(HostChoice, NamesBothHostsWhenTwoHistoriesOfOneRankAcceptWrites) {
    const auto choice = choose_host({{"db1:5432", true, 1, {3, x}}, {"db2:5432", true, 1, {3, y}}}, {});
    EXPECT_FALSE(choice.chosen);
    EXPECT_THAT(choice.refusal, AllOf(HasSubstr("db1:5432"), HasSubstr("db2:5432")));
}

TEST(HostChoice, KeepsToTheHistoryThatTheProcessKnowsButNotAgainstAHigherRank) {
    EXPECT_EQ(choose_host({{"a", true, 1, {3, x}}, {"b", true, 1, {3, y}}}, y).chosen, 1U);
    EXPECT_EQ(choose_host({{"a", true, 1, {4, x}}, {"b", true, 1, {3, y}}}, y).chosen, 0U);
}

TEST(HostChoice, TakesTheFirstOfHostsThatCannotBeToldApart) {
    EXPECT_EQ(choose_host({{"a", false, 1, {}}, {"b", true, 1, {}}, {"c", true, 1, {}}}, {}).chosen, 1U);
}

TEST(HostChoice, TakesTheServerThatWasPromotedLastAmongThoseOfOneHistory) {
    EXPECT_EQ(choose_host({{"a", true, 4, {3, x}}, {"b", true, 5, {3, x}}, {"c", false, 6, {3, x}}}, x).chosen, 1U);
    EXPECT_EQ(choose_host({{"a", true, 9, {3, x}}, {"b", true, 5, {4, y}}}, x).chosen, 1U) << "the rank is stronger";
    EXPECT_FALSE(choose_host({{"a", true, 9, {3, x}}, {"b", true, 5, {3, y}}}, {}).chosen) << "it settles no fork";
}

TEST(HostChoice, KnowsAHostThatWasPromotedAfterTheOneUsedLast) {
    const LastUse last{{3, x}, 5, 0};
    EXPECT_TRUE(is_newer({"b", true, 6, {3, x}}, last)) << "promoted, and not yet met by anyone";
    EXPECT_TRUE(is_newer({"b", true, 6, {4, y}}, last));
    EXPECT_TRUE(is_newer({"b", true, 0, {4, y}}, last));
    EXPECT_FALSE(is_newer({"b", true, 5, {3, x}}, last)) << "the same one, perhaps started again";
    EXPECT_FALSE(is_newer({"b", true, 6, {3, y}}, last)) << "another fork";
    EXPECT_FALSE(is_newer({"b", true, 6, {2, y}}, last));
    EXPECT_FALSE(is_newer({"b", true, 6, {3, x}}, {{3, x}, 0, 0})) << "the timeline was not known";
    EXPECT_FALSE(is_newer({"b", true, 6, {3, x}}, {})) << "nothing was used yet";
}

TEST(PauseBeforeConnect, GrowsFromATenthOfASecondToOneWithJitter) {
    EXPECT_EQ(pause_before_connect(0, 12345), 0s);
    EXPECT_EQ(pause_before_connect(1, 0), 100ms);
    EXPECT_EQ(pause_before_connect(2, 0), 200ms);
    EXPECT_EQ(pause_before_connect(4, 0), 800ms);
    EXPECT_EQ(pause_before_connect(5, 0), 1s);
    EXPECT_EQ(pause_before_connect(1000000, 0), 1s);
    Duration least = 1s;
    Duration most = 0s;
    for (std::uint64_t random = 0; random < 1000; ++random) {
        const auto pause = pause_before_connect(9, random * 997);
        least = std::min(least, pause);
        most = std::max(most, pause);
        EXPECT_GE(pause_before_connect(1, random * 997), 100ms);
    }
    EXPECT_GE(least, 750ms);
    EXPECT_LT(least, 800ms) << "processes that failed together do not come back together";
    EXPECT_GT(most, 950ms);
    EXPECT_LE(most, 1s);
}

}  // namespace
}  // namespace holdfast::core
