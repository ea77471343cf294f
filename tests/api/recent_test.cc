#include "server/api/recent.h"

#include <future>
#include <thread>

#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

using api::Recent;

/// Something that takes its time to read, and counts how often it is.
struct Dear {
    std::atomic<int> readings = 0;

    auto reading(Duration cost = 0ms) {
        return [this, cost] {
            std::this_thread::sleep_for(cost);
            return ++readings;
        };
    }
};

TEST(ApiRecent, WhatWasReadIsToldAgainForAMomentToEverybody) {
    Dear dear;
    Recent<int, int> recent(1h);
    EXPECT_EQ(recent.get(1, dear.reading(200ms)), 1);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(recent.get(1, dear.reading()), 1);
    EXPECT_EQ(recent.get(2, dear.reading()), 2) << "another question";
}

TEST(ApiRecent, ThoseWhoAskAtOnceCostOneReading) {
    Dear dear;
    Recent<int, int> recent(1h);
    std::vector<std::future<int>> asking;
    for (int i = 0; i < 5; ++i)
        asking.push_back(std::async(std::launch::async, [&] { return recent.get(1, dear.reading(200ms)); }));
    for (auto& answer : asking) EXPECT_EQ(answer.get(), 1);
}

TEST(ApiRecent, AfterAChangeItIsReadAgainUnlessThatWasDearAndJustNow) {
    Dear cheap, dear;
    Recent<int, int> recent(1h);
    EXPECT_EQ(recent.get(1, cheap.reading()), 1);
    EXPECT_EQ(recent.get(2, dear.reading(600ms)), 1);
    recent.changed();
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(recent.get(1, cheap.reading()), 2);
    EXPECT_EQ(recent.get(2, dear.reading()), 1);
}

TEST(ApiRecent, WhatChangesWhileItIsReadIsReadAgain) {
    Dear dear;
    Recent<int, int> recent(1h);
    EXPECT_EQ(recent.get(1,
                         [&] {
                             recent.changed();
                             return 0;
                         }),
              0);
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(recent.get(1, dear.reading()), 1);
}

TEST(ApiRecent, WhatSomebodyReadsAgainAndAgainIsGivenToTheOthers) {
    Dear dear;
    Recent<int, int> recent(1h);
    EXPECT_EQ(recent.renewed(1, dear.reading(50ms)), 1);
    recent.changed();
    EXPECT_EQ(recent.get(1, dear.reading()), 1) << "it is of after the change";
    EXPECT_EQ(recent.renewed(1, dear.reading()), 2);
    EXPECT_EQ(recent.get(1, dear.reading()), 2);
}

TEST(ApiRecent, NothingIsKeptLongerThanIsSaid) {
    Dear dear;
    Recent<int, int> recent(Duration::zero());
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
    // Nobody told them: those who listen to no stream are content with a moment ago.
    StreamReader reader(send({.target = "/api/events", .headers = {{"accept", "text/event-stream"}}}).stream);
    (void)reader.read_until("changed");
    const auto until = std::chrono::steady_clock::now() + 10s;
    const auto pending = [&] { return get("/api/overview").body.at("tasks").at("pending"); };
    while (pending() != 1 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(pending(), 1) << "whoever hears of a change reads it";
}

}  // namespace holdfast::api_test
