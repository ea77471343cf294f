#include "server/api/recent.h"

#include <future>

#include "proof/crew/patience.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

/// A clock that the test moves.
struct TestTime {
    using duration = std::chrono::steady_clock::duration;
    using time_point = std::chrono::steady_clock::time_point;

    static time_point now() { return time_point(duration(passed)); }
    static void pass(duration time) { passed += time.count(); }

    static inline std::atomic<duration::rep> passed = 0;
};

using Recent = api::Recent<int, int, TestTime>;

/// Something that takes its time to read, and counts how often it is read.
struct Dear {
    std::atomic<int> readings = 0;

    auto reading(Duration cost = 0ms) {
        return [this, cost] {
            TestTime::pass(cost);
            return ++readings;
        };
    }
};

TEST(ApiRecent, AValueIsKeptTwentyTimesAsLongAsItsReadTook) {
    Dear dear;
    Recent recent(1h);
    EXPECT_EQ(recent.get(1, dear.reading(200ms)), 1);
    TestTime::pass(20 * 200ms - 1ms);
    EXPECT_EQ(recent.get(1, dear.reading()), 1);
    EXPECT_EQ(recent.get(2, dear.reading()), 2) << "another question";
    TestTime::pass(1ms);
    EXPECT_EQ(recent.get(1, dear.reading()), 3);
}

TEST(ApiRecent, ConcurrentCallersCostOneRead) {
    Dear dear;
    Recent recent(1h);
    std::vector<std::future<int>> asking;
    for (int i = 0; i < 5; ++i)
        asking.push_back(std::async(std::launch::async, [&] { return recent.get(1, dear.reading(200ms)); }));
    for (auto& answer : asking) EXPECT_EQ(answer.get(), 1);
}

TEST(ApiRecent, AfterAChangeItIsReadAgainUnlessThatWasDearAndJustNow) {
    Dear cheap, dear;
    Recent recent(1h);
    EXPECT_EQ(recent.get(2, dear.reading(600ms)), 1);
    EXPECT_EQ(recent.get(1, cheap.reading()), 1);
    recent.changed();
    EXPECT_EQ(recent.get(1, cheap.reading()), 2);
    TestTime::pass(5 * 600ms - 1ms);
    EXPECT_EQ(recent.get(2, dear.reading()), 1);
    TestTime::pass(1ms);
    EXPECT_EQ(recent.get(2, dear.reading()), 2);
}

TEST(ApiRecent, AValueThatChangesDuringItsReadIsReadAgain) {
    Dear dear;
    Recent recent(1h);
    const auto changing = [&] {
        recent.changed();
        return 0;
    };
    EXPECT_EQ(recent.get(1, changing), 0);
    EXPECT_EQ(recent.get(1, dear.reading()), 1);
}

TEST(ApiRecent, ARenewedValueIsGivenToOtherCallers) {
    Dear dear;
    Recent recent(1h);
    EXPECT_EQ(recent.renewed(1, dear.reading(50ms)), 1);
    recent.changed();
    EXPECT_EQ(recent.get(1, dear.reading()), 1) << "it is of after the change";
    EXPECT_EQ(recent.renewed(1, dear.reading()), 2);
    EXPECT_EQ(recent.get(1, dear.reading()), 2);
}

TEST(ApiRecent, NothingIsKeptLongerThanIsSaid) {
    Dear dear;
    Recent recent(Duration::zero());
    EXPECT_EQ(recent.get(1, dear.reading(50ms)), 1);
    EXPECT_EQ(recent.get(1, dear.reading()), 2);
}

class ApiManyPages : public ApiFixture {};

TEST_F(ApiManyPages, ShareOneReadingOfCountsAndStatisticsUntilSomethingChanges) {
    auto shared = parts(api::Login::Never);
    shared.statistics_kept = 1h;
    api = std::make_unique<api::Api>(std::move(shared), random, log);
    EXPECT_EQ(get("/api/overview").body.at("tasks").at("pending"), 0);
    EXPECT_EQ(get("/api/stats").body.at("ended"), 0);
    (void)submit();
    // Until a stream reports the change, requests may be answered from the last read.
    StreamReader reader(send({.target = "/api/events", .headers = {{"accept", "text/event-stream"}}}).stream);
    (void)reader.read_until("changed");
    crew::wait_until([&] { return get("/api/overview").body.at("tasks").at("pending") == 1; }, "the reported change");
}

}  // namespace holdfast::api_test
