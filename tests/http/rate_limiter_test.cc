#include "server/http/rate_limiter.h"

#include <gtest/gtest.h>

namespace holdfast::http {
namespace {

using namespace std::chrono_literals;

constexpr RateLimiter::Instant start = RateLimiter::Instant(1h);

TEST(RateLimiter, BurstIsLetThroughAndThenOneForEachInterval) {
    RateLimiter limiter(10, 3);
    for (int count = 0; count < 3; ++count) EXPECT_TRUE(limiter.admit("a", start));
    EXPECT_FALSE(limiter.admit("a", start));
    EXPECT_FALSE(limiter.admit("a", start + 99ms));
    EXPECT_TRUE(limiter.admit("a", start + 101ms));
    EXPECT_FALSE(limiter.admit("a", start + 102ms));
}

TEST(RateLimiter, WhoWaitsHasNoMoreThanTheBurst) {
    RateLimiter limiter(10, 3);
    limiter.admit("a", start);
    for (int count = 0; count < 3; ++count) EXPECT_TRUE(limiter.admit("a", start + 1h));
    EXPECT_FALSE(limiter.admit("a", start + 1h));
}

TEST(RateLimiter, ClientsDoNotPayForEachOther) {
    RateLimiter limiter(1, 1);
    EXPECT_TRUE(limiter.admit("a", start));
    EXPECT_FALSE(limiter.admit("a", start));
    EXPECT_TRUE(limiter.admit("b", start));
}

TEST(RateLimiter, ClientsThatHaveBeenQuietAreForgotten) {
    RateLimiter limiter(1, 1);
    for (int client = 0; client < 100'000; ++client)
        limiter.admit(std::to_string(client), start + std::chrono::seconds(client));
    EXPECT_LE(limiter.remembered(), 1024U);
}

TEST(RateLimiter, WithoutARateEverybodyIsLetThrough) {
    RateLimiter limiter(0, 0);
    for (int count = 0; count < 1000; ++count) EXPECT_TRUE(limiter.admit("a", start));
}

TEST(RateLimiter, SaysWhenToComeBack) {
    EXPECT_EQ(RateLimiter(200, 1).retry_after_seconds(), 1);
    EXPECT_EQ(RateLimiter(0.1, 1).retry_after_seconds(), 10);
}

}  // namespace
}  // namespace holdfast::http
