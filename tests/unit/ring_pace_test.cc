#include "core/ring_pace.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <deque>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr Duration gap = 3ms;
constexpr int burst = 8;

TEST(RingPace, LetsTheFirstThrough) {
    const RingPace pace(gap, burst);
    EXPECT_EQ(pace.wait(0s), 0s);
    EXPECT_EQ(pace.wait(1000h), 0s);
}

TEST(RingPace, LetsABurstThroughAndThenOnePerGap) {
    RingPace pace(gap, burst);
    for (int i = 0; i < burst; ++i) {
        EXPECT_EQ(pace.wait(1s), 0s) << i;
        pace.sent(1s);
    }
    EXPECT_EQ(pace.wait(1s), gap);
    EXPECT_EQ(pace.wait(1s + 1ms), gap - 1ms);
    EXPECT_EQ(pace.wait(1s + gap), 0s);
    pace.sent(1s + gap);
    EXPECT_EQ(pace.wait(1s + gap), gap);
}

TEST(RingPace, NeverHoldsOneBackThatComesOncePerGap) {
    RingPace pace(gap, 1);
    for (Duration now = 0s; now < 1s; now += gap) {
        EXPECT_EQ(pace.wait(now), 0s);
        pace.sent(now);
    }
}

TEST(RingPace, LetsAWholeBurstThroughAgainAfterAQuietTime) {
    RingPace pace(gap, burst);
    for (int i = 0; i < burst; ++i) pace.sent(1s);
    const auto later = 1s + gap * burst;
    for (int i = 0; i < burst; ++i) {
        EXPECT_EQ(pace.wait(later), 0s) << i;
        pace.sent(later);
    }
    EXPECT_EQ(pace.wait(later), gap);
}

/// A caller that waits as long as it is told sends at most burst + n in any n gaps, and never waits for more than one
/// gap.
RC_GTEST_PROP(RingPace, KeepsItsRateForEveryWayToRing, ()) {
    const int most = *rc::gen::inRange(1, 10);
    RingPace pace(gap, most);
    std::deque<Duration> sent;
    Duration now = 0s;
    for (const int pause : *rc::gen::container<std::vector<int>>(50, rc::gen::inRange(0, 9000))) {
        now += Duration(pause);
        RC_ASSERT(pace.wait(now) <= gap);
        now += pace.wait(now);
        RC_ASSERT(pace.wait(now) == Duration::zero());
        pace.sent(now);
        sent.push_back(now);
        for (std::size_t i = 0; i < sent.size(); ++i) {
            const auto gaps = (now - sent[i]) / gap;
            RC_ASSERT(std::ssize(sent) - static_cast<std::ptrdiff_t>(i) <= most + gaps);
        }
    }
}

}  // namespace
}  // namespace holdfast::core
