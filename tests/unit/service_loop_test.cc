#include "platform/service_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
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

}  // namespace
}  // namespace holdfast::platform
