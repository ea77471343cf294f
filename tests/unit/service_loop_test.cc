#include "platform/service_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "platform/sockets.h"

namespace holdfast::platform {
namespace {

using testing::ElementsAre;

TEST(ServiceLoop, HandlesWhatArrivedOnDescriptorsBeforeWhatWasPosted) {
    ServiceLoop loop;
    std::vector<std::string> handled;
    loop.post([&] { handled.emplace_back("posted"); });
    const auto pipe = pipe_pair();
    loop.watch(pipe.first.get(), [&] {
        handled.emplace_back("arrived");
        loop.forget(pipe.first.get());
    });
    ASSERT_EQ(write(pipe.second.get(), "x", 1), 1);
    loop.turn(std::chrono::seconds(10));
    EXPECT_THAT(handled, ElementsAre("arrived", "posted"));
}

TEST(ServiceLoop, HandlesWhatIsPostedByWhatItHandlesInTheNextTurn) {
    ServiceLoop loop;
    std::vector<std::string> handled;
    loop.post([&] {
        handled.emplace_back("first");
        loop.post([&] { handled.emplace_back("second"); });
    });
    loop.turn(std::chrono::seconds(10));
    EXPECT_THAT(handled, ElementsAre("first"));
    loop.turn(std::chrono::seconds(10));
    EXPECT_THAT(handled, ElementsAre("first", "second"));
}

TEST(ServiceLoop, HandlesNothingWhileAThreadIsInside) {
    ServiceLoop loop;
    std::vector<std::string> handled;
    std::thread turning;
    loop.inside([&] {
        loop.post([&] { handled.emplace_back("posted"); });
        turning = std::thread([&] { loop.turn(std::chrono::seconds(10)); });
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
        handled.emplace_back("inside");
    });
    turning.join();
    EXPECT_THAT(handled, ElementsAre("inside", "posted"));
}

TEST(ServiceLoop, WaitsForLessThanAMillisecondIfItIsToldTo) {
    ServiceLoop loop;
    const Duration began = machine_time();
    for (int i = 0; i < 100; ++i) loop.turn(std::chrono::microseconds(10));
    const Duration fine = machine_time() - began;
    for (int i = 0; i < 100; ++i) loop.turn(std::chrono::milliseconds(1));
    EXPECT_LT(fine, machine_time() - began - fine);
}

}  // namespace
}  // namespace holdfast::platform
