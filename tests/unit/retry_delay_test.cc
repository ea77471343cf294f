#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/task/settlement.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

RetryPolicy exponential(Duration base, double factor, Duration cap) {
    RetryPolicy policy;
    policy.base = base;
    policy.factor = factor;
    policy.cap = cap;
    return policy;
}

TEST(RetryDelay, GrowsByTheFactorUpToTheCap) {
    const RetryPolicy policy = exponential(1s, 3.0, 20s);
    const Duration expected[] = {1s, 3s, 9s, 20s, 20s};
    for (int retry = 1; retry <= 5; ++retry) EXPECT_EQ(retry_delay(policy, retry, 0.5), expected[retry - 1]);
}

TEST(RetryDelay, IsConstantWithAFactorOfOne) {
    for (const int retry : {1, 2, 999}) EXPECT_EQ(retry_delay(exponential(7s, 1.0, 1h), retry, 0.5), 7s);
}

TEST(RetryDelay, StaysAtTheCapWhenTheExponentialOverflows) {
    EXPECT_EQ(retry_delay(exponential(1s, 100.0, 24h * 30), 1000, 0.5), 24h * 30);
}

TEST(RetryDelay, StaysZeroWithABaseOfZeroHoweverOften) {
    for (const int retry : {1, 2, 1000}) EXPECT_EQ(retry_delay(exponential(0s, 100.0, 5min), retry, 0.5), 0s);
}

TEST(RetryDelay, IsTheCapWhenTheBaseIsLonger) {
    EXPECT_EQ(retry_delay(exponential(1h, 2.0, 5s), 1, 0.5), 5s);
}

TEST(RetryDelay, ListWinsOverTheExponentialAndRepeatsItsLastMember) {
    RetryPolicy policy = exponential(1s, 2.0, 2s);
    policy.delays = {5s, 1h, 0s};
    const Duration expected[] = {5s, 1h, 0s, 0s};
    for (int retry = 1; retry <= 4; ++retry) EXPECT_EQ(retry_delay(policy, retry, 0.5), expected[retry - 1]);
}

TEST(RetryDelay, JitterMovesByAtMostItsShareInBothDirections) {
    RetryPolicy policy = exponential(100s, 1.0, 1h);
    policy.jitter = 0.25;
    EXPECT_EQ(retry_delay(policy, 1, 0.0), 75s);
    EXPECT_EQ(retry_delay(policy, 1, 0.5), 100s);
    EXPECT_EQ(retry_delay(policy, 1, 1.0), 125s);
}

RC_GTEST_PROP(RetryDelay, IsNeverNegativeAndNeverMoreThanJitterBeyondTheCap, ()) {
    RetryPolicy policy = exponential(std::chrono::milliseconds(*rc::gen::inRange(0, 1'000'000)),
                                     *rc::gen::inRange(100, 10'000) / 100.0,
                                     std::chrono::milliseconds(*rc::gen::inRange(0, 1'000'000)));
    policy.jitter = *rc::gen::inRange(0, 101) / 100.0;
    const Duration delay = retry_delay(policy, *rc::gen::inRange(1, 1001), *rc::gen::inRange(0, 1000) / 1000.0);
    RC_ASSERT(delay >= 0s);
    RC_ASSERT(delay.count() <= static_cast<double>(policy.cap.count()) * (1 + policy.jitter) + 1);
}

TEST(RequeueDelay, IsZeroThenOneSecondDoublingToSixty) {
    const Duration expected[] = {0s, 1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s};
    for (int number = 1; number <= 9; ++number) EXPECT_EQ(requeue_delay(number), expected[number - 1]);
    EXPECT_EQ(requeue_delay(std::numeric_limits<int>::max()), 60s);
}

}  // namespace
}  // namespace holdfast::core
