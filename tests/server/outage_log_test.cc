#include "server/process/outage_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::server_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const api::VitalSign::Check up = {.ok = true, .detail = "last done 0.4s ago"};
const api::VitalSign::Check down = {.is_out = true, .detail = "last done 3.1s ago", .failure = "no route to host"};

TEST(OutageLog, WritesOneLineWhenAnOutageBeginsAndOneWhenItEnds) {
    server::OutageLog log;
    EXPECT_FALSE(log.look(up, 1s));
    const auto begin = log.look(down, 10s);
    ASSERT_TRUE(begin);
    EXPECT_EQ(begin->level, LogLevel::Warning);
    EXPECT_THAT(begin->message, HasSubstr("last done 3.1s ago: no route to host"));
    EXPECT_FALSE(log.look(down, 11s));
    const auto end = log.look(up, 15s);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->level, LogLevel::Info);
    EXPECT_THAT(end->fields, testing::ElementsAre(testing::Pair("after", "5s")));
    EXPECT_FALSE(log.look(up, 16s));
    EXPECT_TRUE(log.look(down, 20s));
}

TEST(OutageLog, DoesNotTakeTheFirstLookThatIsStillUnderWayForAnOutage) {
    server::OutageLog log;
    api::VitalSign sign(3s);
    EXPECT_FALSE(log.look(sign.check(), 1s));
    sign.began();
    EXPECT_FALSE(log.look(sign.check(), 1s));
    sign.failed("no route to host");
    EXPECT_TRUE(log.look(sign.check(), 1s));
    sign.began();
    sign.succeeded();
    EXPECT_TRUE(log.look(sign.check(), 2s));
}

}  // namespace
}  // namespace holdfast::server_test
